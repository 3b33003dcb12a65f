import { truncateSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { DATABASE_FILE, MEDIA_FOLDER } from '../src/app/open/data-folder.ts';
import { openSqliteStore } from '../src/app/open/open-sqlite.ts';
import { systemClock } from '../src/common/clock.ts';
import { derivedId } from '../src/common/ids.ts';
import { openDiskMediaStore } from '../src/engines/blobs/disk/media-store.ts';
import type { TrackDelivery } from '../src/features/catalog/track.ts';
import type { DeliveredPart } from '../src/features/catalog/track-parts.ts';
import { createBenchClient, tokenFor } from './client.ts';
import { shown, shownSpread, spread } from './figures.ts';
import { memoryMegabytes, serve } from './processes.ts';
import type { Row } from './row.ts';

const PORT = 18_097;
/** Twelve stems of five minutes: 44.1 kHz, stereo, 24 bits. */
const STEMS = 12;
const STEM_BYTES = 80_000_000;
/** The parts of the archive whose memory is measured: 10 GB. */
const LARGE_PARTS = 4;
const LARGE_BYTES = 2_500_000_000;

/** The members of the response that this part needs. */
interface ShownParts {
  stems: { url: string }[];
  archiveUrl: string;
}

/**
 * Compares the ZIP file of twelve stems with the same files as streams, one after the other, and measures the memory of the
 * service while it sends 10 GB. The files consist of holes, so that the disk does not matter.
 */
export async function measureStems(options: { folder: string; rounds: number }): Promise<Row[]> {
  const settings = { STAVE_DATA: join(options.folder, 'stems') };
  // Creates the database.
  const client = await createBenchClient(settings, 'stems', 'stems');
  await deliver(settings.STAVE_DATA);
  const server = await serve(settings, PORT);
  const authorization = await tokenFor(PORT, client);
  const list = async (slug: string): Promise<ShownParts> => {
    const url = `http://127.0.0.1:${PORT}/v1/tracks/${slug}/stems`;
    const response = await fetch(url, { headers: { authorization } });
    return ((await response.json()) as { data: ShownParts }).data;
  };

  const { stems, archiveUrl } = await list('twelve-stems');
  const asStreams = async () => {
    for (const { url } of stems) await download(url);
  };
  const ways = { archive: () => download(archiveUrl), streams: asStreams };
  const seconds = { archive: [] as number[], streams: [] as number[] };
  const names = ['archive', 'streams'] as const;
  for (let round = -1; round < options.rounds; round++) {
    // Which one is first changes, because the machine may become slower or faster. The first round is a warm-up.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const startedAt = performance.now();
      await ways[name]();
      if (round >= 0) seconds[name].push((performance.now() - startedAt) / 1000);
    }
  }
  const ratio = spread(seconds.streams.map((streamed, i) => streamed / seconds.archive[i]!));
  const rate = (of: number[]) => shown((STEMS * STEM_BYTES) / 1e6 / spread(of).median);

  const before = memoryMegabytes(server.pid, 'VmRSS');
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, memoryMegabytes(server.pid, 'VmRSS'));
  }, 20);
  const startedAt = performance.now();
  const bytes = await download((await list('ten-gigabytes')).archiveUrl);
  const largeSeconds = (performance.now() - startedAt) / 1000;
  clearInterval(sampling);
  await server.stop();
  return [
    {
      what: `ZIP file of ${STEMS} stems of ${STEM_BYTES / 1e6} MB, by the bytes per second of the same files as streams`,
      figure: `${shownSpread(ratio)}: ${rate(seconds.archive)} of ${rate(seconds.streams)} MB/s`,
      goal: 'at least 0.8',
    },
    {
      what: `memory of the service while it sends a ZIP file of ${shown(bytes / 1e9)} GB`,
      figure: `${shown(before)} MB, at most ${shown(peak - before)} MB more, in ${shown(largeSeconds)} s`,
      goal: 'flat: at most 64 MB more',
    },
  ];
}

/** Stores a track with twelve stems and one with 10 GB of them, without writing their audio. */
async function deliver(dataFolder: string): Promise<void> {
  const media = await openDiskMediaStore({ folder: join(dataFolder, MEDIA_FOLDER) });
  const store = await openSqliteStore({
    path: join(dataFolder, DATABASE_FILE),
    clock: systemClock,
  });
  const parts = async (name: string, count: number, sizeBytes: number) => {
    const made: DeliveredPart[] = [];
    for (let i = 0; i < count; i++) {
      const { key } = await media.putBytes(Buffer.from(`${name} ${i}`), 'wav');
      truncateSync(media.localPath!(key), sizeBytes);
      made.push({ kind: 'other', name: null, durationSeconds: 300, audioKey: key, sizeBytes });
    }
    return made;
  };
  const session = await store.catalog.openDelivery('bench:stems', 'bench');
  await session.deliver([
    track('Twelve Stems', await parts('stem', STEMS, STEM_BYTES)),
    track('Ten Gigabytes', await parts('large', LARGE_PARTS, LARGE_BYTES)),
  ]);
  await session.close();
  await store.close();
}

function track(name: string, stems: readonly DeliveredPart[]): TrackDelivery {
  return {
    ...{ id: derivedId('bench', name), source: 'bench', externalId: name, name, slug: null },
    ...{ type: 'music', bpm: '', songKey: [], timeSignature: '', durationSeconds: 300 },
    ...{ region: 'WORLD', releasedAt: 0, hasVocals: false, isPRO: false, tags: [], isrc: '' },
    ...{ artists: [], filters: [], audioKey: null, artworkKey: null, stems },
  };
}

/** Reads a response, and returns its length. Throws if that is not as announced. */
function download(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('error', reject);
      response.on('end', () => {
        const isWhole =
          response.statusCode === 200 && Number(response.headers['content-length']) === bytes;
        if (isWhole) resolve(bytes);
        else reject(new Error(`${url} responded with ${response.statusCode} and ${bytes} bytes`));
      });
    }).on('error', reject);
  });
}

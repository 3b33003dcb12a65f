import { createWriteStream } from 'node:fs';
import { mkdtempDisposable, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Log } from '../../../common/log.ts';
import { limited } from '../../../common/work/limited.ts';
import type { ByteRange, MediaStore } from '../../../engines/blobs/media-store.ts';
import { type LeaseStore, leasedTasks } from '../../../engines/tasks/lease.ts';
import { type ProbedAudio, UNKNOWN_AUDIO } from '../../catalog/audio-properties.ts';
import type { AudioPropertyStore } from '../../catalog/store/audio-property-store.ts';
import { coverBytes } from '../../catalog/streamed-audio.ts';
import { FileProblem } from '../audio/file-problem.ts';
import { TagReader } from '../audio/tag-reader.ts';

/** How often a node looks for audio to probe. */
const LOOK_MS = 15_000;
/** The longest pause after a look that found only missing files, or failed. It doubles each time. */
const LONGEST_PAUSE_MS = 10 * 60_000;
/** The files of one transaction, and those that are read at the same time. */
const SLICE = 50;
const CONCURRENCY = 2;
/** A file may take this long, although its headers take milliseconds. */
const TIMEOUT_SECONDS = 10;
/** What is read of each end of a file in a bucket: headers and indexes are there. */
const EDGE_BYTES = 2 * 1024 * 1024;

interface ProbingContext {
  store: { audioProperties: AudioPropertyStore; leases: LeaseStore; isReachable(): boolean };
  media: Pick<MediaStore, 'stat' | 'read' | 'localPath'>;
  log: Log;
}

/** Probes the audio whose properties, and the artwork whose size is not known, on one node at a time: that of earlier versions, and of given keys. */
export function audioProbing(context: ProbingContext): ReturnType<typeof leasedTasks> {
  let pauseMs = 0;
  let notBefore = 0;
  return leasedTasks({
    ...context,
    lease: 'audio-probing',
    tasks: [
      {
        name: 'probing audio',
        async run(signal) {
          if (performance.now() < notBefore) return;
          pauseMs = Math.min(Math.max(2 * pauseMs, LOOK_MS), LONGEST_PAUSE_MS);
          notBefore = performance.now() + pauseMs;
          const probed = await probeAudio(context, signal);
          const measured = await measureArtwork(context, signal);
          if (probed + measured > 0) pauseMs = 0;
          notBefore = performance.now() + pauseMs;
        },
      },
    ],
    intervalMs: LOOK_MS,
  });
}

/**
 * Probes all audio whose properties are not known, and returns the number of files. What cannot be read gets its size only.
 * A missing file is left, because it may be restored.
 */
async function probeAudio(
  {
    store,
    media,
    log,
  }: Omit<ProbingContext, 'store'> & { store: Pick<ProbingContext['store'], 'audioProperties'> },
  signal: AbortSignal,
): Promise<number> {
  const inTurn = limited(CONCURRENCY);
  await using reader = new TagReader({ timeoutSeconds: TIMEOUT_SECONDS });
  signal.addEventListener('abort', () => void reader[Symbol.asyncDispose](), { once: true });
  let count = 0;
  for (let after = ''; !signal.aborted; ) {
    const keys = await store.audioProperties.unprobed(after, SLICE);
    if (keys.length === 0) break;
    after = keys.at(-1)!;
    const probed = new Map<string, ProbedAudio>();
    const probe = async (key: string) => {
      const properties = await propertiesOfKey(key, media, reader);
      if (properties !== undefined) probed.set(key, properties);
    };
    await Promise.all(keys.map((key) => inTurn(() => probe(key))));
    // A reader that was closed has read nothing more.
    if (signal.aborted) break;
    if (probed.size > 0) await store.audioProperties.record(probed);
    count += probed.size;
  }
  if (count > 0) log.info({ files: count }, 'probed audio');
  return count;
}

/** Stores the sizes of all artwork that is there and whose size is not known, and returns the number of files. */
async function measureArtwork(
  { store, media }: Pick<ProbingContext, 'store' | 'media'>,
  signal: AbortSignal,
): Promise<number> {
  const inTurn = limited(CONCURRENCY);
  let count = 0;
  for (let after = ''; !signal.aborted; ) {
    const keys = await store.audioProperties.unmeasured(after, SLICE);
    if (keys.length === 0) break;
    after = keys.at(-1)!;
    const sizes = new Map<string, number>();
    const measure = async (key: string) => {
      const found = await media.stat(key);
      if (found !== undefined) sizes.set(key, coverBytes(key, found.sizeBytes));
    };
    await Promise.all(keys.map((key) => inTurn(() => measure(key))));
    if (sizes.size > 0) await store.audioProperties.recordCovers(sizes);
    count += sizes.size;
  }
  return count;
}

/** Returns undefined for a file that the media store lacks. */
async function propertiesOfKey(
  key: string,
  media: ProbingContext['media'],
  reader: TagReader,
): Promise<ProbedAudio | undefined> {
  const found = await media.stat(key);
  if (found === undefined) return undefined;
  const bytes = found.sizeBytes;
  const read = async (path: string) => ({ ...(await reader.read(path, 'properties')), bytes });
  try {
    if (media.localPath !== undefined) return await read(media.localPath(key));
    await using folder = await mkdtempDisposable(join(tmpdir(), 'stave-media-'));
    const path = join(folder.path, key);
    await copyEdges(key, bytes, media, path);
    return await read(path);
  } catch (error) {
    // Nothing can be made of what cannot be read, so it is sent as it is.
    if (error instanceof FileProblem) {
      return { ...UNKNOWN_AUDIO, bytes, samples: null, isPlayable: true };
    }
    throw error;
  }
}

/** Makes a file of the same size with both ends of a stored one, and zeros between them. */
async function copyEdges(
  key: string,
  bytes: number,
  media: Pick<MediaStore, 'read'>,
  path: string,
): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  await file.truncate(bytes);
  await file.close();
  const copy = async (range: ByteRange) => {
    const target = createWriteStream(path, { flags: 'r+', start: range.start });
    await pipeline(await media.read(key, range), target);
  };
  const last = bytes - 1;
  if (last >= 0) await copy({ start: 0, end: Math.min(EDGE_BYTES - 1, last) });
  if (last >= EDGE_BYTES)
    await copy({ start: Math.max(EDGE_BYTES, bytes - EDGE_BYTES), end: last });
}

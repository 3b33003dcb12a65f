import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createDatabase } from '../test/harness/services.ts';
import { loadUntil } from './beside.ts';
import { BENCH_SOURCE, writeCatalog } from './catalog.ts';
import { createBenchClient, tokenFor } from './client.ts';
import { shown } from './figures.ts';
import type { LoadJob } from './load.ts';
import { pageMixes } from './page.ts';
import { load, memoryMegabytes, serve, stave } from './processes.ts';
import { readRealParts } from './real-parts.ts';
import type { Row } from './row.ts';
import { locationOf, writeBeside } from './write-beside.ts';

const PORT = 18_160;
const CONNECTIONS = 8;
const PER_SECOND = 200;
const SECONDS = 4;
/** The source of the tracks that end. As many others stay, so that pages are full. */
const ENDING = 'ending';

/**
 * Measures how long it takes until all tracks of a catalog that end at one moment are gone, and what the switches delay
 * meanwhile: pages of the service that makes them, and writes of another process.
 */
export async function* measureAvailability(options: {
  folder: string;
  dataFolder: string;
  tracks: number;
  databases: readonly ('sqlite' | 'postgres')[];
}): AsyncGenerator<Row> {
  for (const database of options.databases) {
    if (database === 'sqlite') {
      yield* measure('SQLite', { STAVE_DATA: join(options.folder, 'availability') }, options);
      continue;
    }
    await using postgres = await createDatabase();
    const settings = {
      STAVE_DATA: join(options.folder, 'availability-postgres'),
      STAVE_DATABASE_URL: postgres.url,
    };
    yield* measure('PostgreSQL', settings, options);
  }
}

async function* measure(
  database: string,
  settings: Record<string, string>,
  { folder, dataFolder, tracks }: { folder: string; dataFolder: string; tracks: number },
): AsyncGenerator<Row> {
  const plain = join(folder, 'availability.ndjson');
  const ending = join(folder, 'availability-ending.ndjson');
  await writeCatalog(plain, tracks, await readRealParts(dataFolder));
  const imported = await stave(['import', plain, '--source', BENCH_SOURCE], settings);
  // Time for the second import, for the start of the service, and for a load before the end.
  const endsAt = Date.now() + 60_000 + 4_000 * imported.seconds;
  await withEnd(plain, ending, endsAt);
  await stave(['import', ending, '--source', ENDING], settings);
  const client = await createBenchClient(settings);
  const server = await serve(settings, PORT);
  try {
    const authorization = await tokenFor(PORT, client);
    const total = () => totalOf(authorization);
    if ((await total()) !== 2 * tracks || Date.now() > endsAt - 15_000) {
      throw new Error('the imports took too long: the tracks end before the measurement');
    }
    const job: LoadJob = {
      port: PORT,
      paths: pageMixes()['every page in turn']!,
      headers: { authorization },
      connections: CONNECTIONS,
      perSecond: PER_SECOND,
      seconds: SECONDS,
    };
    await load({ ...job, seconds: 2 });
    const idle = await load(job);
    await delay(endsAt - Date.now() - 50);
    const writer = writeBeside(
      locationOf(settings),
      `${database}: writes of another process meanwhile`,
    );
    let seconds = 0;
    let firstSeconds = Number.POSITIVE_INFINITY;
    let peak = 0;
    const switched = (async () => {
      for (;;) {
        const left = (await total()) - tracks;
        seconds = (Date.now() - endsAt) / 1_000;
        peak = Math.max(peak, memoryMegabytes(server.pid, 'VmRSS'));
        if (left < tracks) firstSeconds = Math.min(firstSeconds, seconds);
        if (left === 0) return;
        await delay(50);
      }
    })();
    const beside = await loadUntil(switched, job);
    await switched;
    const at = tracks.toLocaleString('en');
    yield {
      what: `${database}: from the end of the period of all these tracks until the lists show none of them`,
      at,
      figure: `${shown(seconds)} s (${shown(tracks / seconds)} tracks/s), the first after ${shown(firstSeconds)} s; at most ${shown(peak)} MB`,
      goal: 'the first within 1 s; a million within some minutes',
    };
    yield {
      what: `${database}: latency of pages (${PER_SECOND} requests/s) meanwhile`,
      at,
      figure: `p99 ${shown(beside.p99)} ms, longest ${shown(beside.max)} ms; before, ${shown(idle.p99)} and ${shown(idle.max)} ms; ${beside.failures} failures`,
      goal: 'longest below 100 ms',
    };
    yield { ...(await writer.stop()), at };
  } finally {
    await server.stop();
  }
}

/** Copies records, with an availability that ends at a moment. */
async function withEnd(from: string, to: string, endsAt: number): Promise<void> {
  const member = `,"availability":[{"until":"${new Date(endsAt).toISOString()}"}]}\n`;
  const lines = createInterface({ input: createReadStream(from) });
  async function* records() {
    for await (const line of lines) yield line.slice(0, -1) + member;
  }
  await pipeline(Readable.from(records()), createWriteStream(to));
}

async function totalOf(authorization: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${PORT}/v1/tracks?pageSize=1`, {
    headers: { authorization },
  });
  const { data } = (await response.json()) as { data: { totalRecords: number } };
  return data.totalRecords;
}

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../../../src/common/clock.ts';
import { createClient } from '../../../src/features/access/clients.ts';
import type { Store } from '../../../src/features/store.ts';
import { type Serving, serve, type TemporaryFolder, temporaryFolder } from '../../harness/cli.ts';
import { startPostgres } from '../../harness/postgres-server.ts';
import { type Comparison, compare } from './compare.ts';
import { openAt, type Place } from './open-at.ts';
import { type Get, readByCursor, readByTime, readByWaiting } from './readers.ts';
import { Record } from './record.ts';
import type { Writing } from './writing-thread.ts';

interface FeedOptions {
  /** The least number of changes of tracks. */
  changes: number;
  writers: number;
  database: 'SQLite' | 'PostgreSQL';
  /** Called with the progress every ten seconds. */
  log?: (line: string) => void;
}

const LOG_MS = 10_000;

interface FeedReport extends Comparison {
  seconds: number;
}

/**
 * Runs a node, writers whose clocks differ by up to ten seconds, and beside them readers of the feed by cursor, by
 * waiting and by time. Compares what each reader got with the change log.
 */
export async function runFeed(options: FeedOptions): Promise<FeedReport> {
  using folder = temporaryFolder();
  if (options.database === 'SQLite') return runOn(folder, undefined, options);
  await using postgres = await startPostgres([`max_connections=${2 * options.writers + 50}`]);
  return await runOn(folder, postgres.url, options);
}

/** How many events were missed, out of order or older than they must be, over all readers. */
export function faultsOf({ readers }: Comparison): number {
  return readers.reduce((sum, one) => sum + one.missed + one.outOfOrder + one.older, 0);
}

async function runOn(
  folder: TemporaryFolder,
  databaseUrl: string | undefined,
  { changes, writers, log }: FeedOptions,
): Promise<FeedReport> {
  const place: Place = { data: folder.at('data'), databaseUrl };
  await using serving = await serve(
    place.data,
    databaseUrl === undefined ? undefined : { STAVE_DATABASE_URL: databaseUrl },
  );
  const operator = await openAt(place, systemClock);
  try {
    const get = await reader(serving, operator);
    const since = '1970-01-01T00:00:00Z';
    const { nextCursor: from } = await get(`/v1/tracks/changes?since=${since}`);
    let last: number | undefined;
    let made = 0;
    const records = [new Record(), new Record(), new Record()] as const;
    const [byCursor, byWaiting, byTime] = records.map((record) => ({
      get,
      last: () => last,
      record,
    }));
    const startMs = performance.now();
    const secondsSoFar = () => Math.round((performance.now() - startMs) / 1_000);
    const logging = setInterval(() => {
      const places = records.map((record) => record.last).join(', ');
      const megabytes = Math.round(process.memoryUsage.rss() / 1e6);
      log?.(
        `${secondsSoFar()} s: ${made} of ${changes} changes; readers at ${places}; ${megabytes} MB`,
      );
    }, LOG_MS);
    // SQLite would block this thread, and the readers would read only afterwards.
    const workerData: Writing = { place, writers, changes };
    const thread = new Worker(new URL('writing-thread.ts', import.meta.url), { workerData });
    thread.on('message', (count: number) => {
      made = count;
    });
    const written = once(thread, 'exit').then(async ([code]) => {
      if (code !== 0) throw new Error(`the writers ended with ${code}`);
      last = await operator.changes.head();
    });
    try {
      await Promise.all([
        readByCursor(byCursor!, from),
        readByWaiting(byWaiting!, from),
        readByTime(byTime!, since),
        written,
      ]);
    } finally {
      clearInterval(logging);
      await thread.terminate();
    }
    const seconds = secondsSoFar();
    return { ...(await compare(operator, records)), seconds };
  } finally {
    await operator.close();
  }
}

/** Makes a client that may read the feed, and returns its requests. */
async function reader(serving: Serving, store: Store): Promise<Get> {
  const deps = { store, clock: systemClock, by: 'test:feed' as const };
  const { clientId, liveSecret } = await createClient(deps, {
    name: 'Reader',
    scopes: ['changes'],
    features: ['changes'],
    rateLimit: 1_000_000,
  });
  let token = await serving.token(clientId, liveSecret);
  return async (path) => {
    let { status, body } = await serving.get(path, token);
    // A token is valid for an hour, which is less than the time of some runs.
    if (status === 401) {
      token = await serving.token(clientId, liveSecret);
      ({ status, body } = await serving.get(path, token));
    }
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body.error)}`);
    return body.data;
  };
}

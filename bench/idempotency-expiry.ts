import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DAY_MS, systemClock } from '../src/common/clock.ts';
import { IdempotencyStore } from '../src/engines/idempotency/idempotency-store.ts';
import type { SqlDatabase } from '../src/engines/sql/database.ts';
import { createDatabase } from '../test/harness/services.ts';
import { openDatabase } from '../test/harness/sql-databases.ts';
import { type Adapter, adapterNamed } from '../test/harness/store-adapters.ts';
import { quantiles } from './figures.ts';
import type { Row } from './row.ts';

/** The expired keys: many with short responses, and responses to reports of 500 events as they are compressed. */
const KEYS = [
  { keys: 200_000, bodyBytes: 200 },
  { keys: 50_000, bodyBytes: 8_000 },
] as const;

/**
 * Deletes keys that expired since the last hour of housekeeping, beside as many that are valid, on both databases. The
 * time of a transaction is that from its call to the end of its commit, so that it includes waits for its turn. The time of a sync
 * of another file, in the same seconds, tells which of the longest times are those of the disk.
 */
export async function measureExpiry({ folder }: { folder: string }): Promise<Row[]> {
  const rows: Row[] = [];
  for (const given of KEYS) {
    const location = join(folder, `expiry-${given.bodyBytes}`, 'stave.db');
    const synced = join(folder, 'synced');
    rows.push(await measureOn(adapterNamed('sqlite'), location, synced, given));
    await using database = await createDatabase();
    rows.push(await measureOn(adapterNamed('postgres'), database.url, synced, given));
  }
  return rows;
}

async function measureOn(
  adapter: Adapter,
  location: string,
  syncedFile: string,
  { keys, bodyBytes }: (typeof KEYS)[number],
): Promise<Row> {
  await (await adapter.open(location, systemClock)).close();
  await using database = await openDatabase(adapter, location, systemClock);
  const now = Date.now();
  for (const createdAt of [now - DAY_MS - 1, now]) {
    await database.run(insertKeys(adapter, keys, bodyBytes, createdAt));
  }
  if (adapter.isServer) await database.run('ANALYZE idempotency_keys');
  const times: number[] = [];
  const syncing = startSyncing(syncedFile);
  const expired = await new IdempotencyStore(timed(database.sql, times), systemClock).expire();
  const synced = quantiles(await syncing.stop());
  if (expired !== keys) throw new Error(`${expired} of ${keys} keys were deleted`);
  const transactions = times.length;
  const { p50, p99, max } = quantiles(times);
  return {
    what: `deleting ${keys.toLocaleString('en')} expired keys with responses of ${bodyBytes.toLocaleString('en')} bytes, ${adapter.name}: longest of ${transactions.toLocaleString('en')} transactions`,
    figure: `${max.toFixed(1)} ms (p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms); a sync of another file beside it: ${synced.max.toFixed(1)} ms (p99 ${synced.p99.toFixed(1)} ms)`,
    goal: 'under 50 ms',
  };
}

/** Returns the statement that inserts keys in random order, with responses that cannot be compressed further. */
function insertKeys(adapter: Adapter, keys: number, bodyBytes: number, createdAt: number): string {
  const [random, fingerprint, body] = adapter.isServer
    ? [
        'gen_random_uuid()::text',
        'sha256(n::text::bytea)',
        `decode((SELECT string_agg(md5(n::text || i), '') FROM generate_series(1, ${bodyBytes / 16}) AS i), 'hex')`,
      ]
    : ['hex(randomblob(16))', 'randomblob(32)', `randomblob(${bodyBytes})`];
  return `
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${keys})
    INSERT INTO idempotency_keys (client_id, mode, key, fingerprint, state, claimed_until, status, headers, body, created_at)
    SELECT '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41', 'live', ${random}, ${fingerprint}, 'done', 0, 201, '{}', ${body}, ${createdAt} - n % 3600000
    FROM numbers`;
}

/** Returns the database, which adds the time of each transaction of housekeeping to the list. */
function timed(database: SqlDatabase, times: number[]): SqlDatabase {
  const discard: SqlDatabase['discard'] = async (work) => {
    const startedAt = performance.now();
    try {
      return await database.discard(work);
    } finally {
      times.push(performance.now() - startedAt);
    }
  };
  return Object.create(database, {
    discard: { value: discard },
    settle: { value: () => database.settle() },
  }) as SqlDatabase;
}

/** A thread that writes and syncs a file every 10 ms, as a measure of the disk beside the deletion. */
function startSyncing(file: string): { stop(): Promise<number[]> } {
  const thread = new Worker(new URL('sync-loop.ts', import.meta.url), { workerData: { file } });
  return {
    async stop() {
      thread.postMessage('stop');
      const [times] = await once(thread, 'message');
      return times as number[];
    },
  };
}

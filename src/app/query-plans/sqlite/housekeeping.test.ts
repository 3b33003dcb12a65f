import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../../../test/harness/sql-databases.ts';
import { adapterNamed } from '../../../../test/harness/store-adapters.ts';
import { systemClock } from '../../../common/clock.ts';
import { KEY_MS } from '../../../engines/idempotency/idempotency.ts';
import { IdempotencyStore } from '../../../engines/idempotency/idempotency-store.ts';

/** Their deletion writes about 70 MB into the WAL. */
const KEYS = 50_000;
const adapter = adapterNamed('sqlite');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-housekeeping-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('gives the space of deleted rows back to the disk', async () => {
  const path = join(folder, 'stave.db');
  const store = await adapter.open(path, systemClock);
  const signal = new AbortController().signal;
  await using database = await openDatabase(adapter, path, systemClock);
  await database.run(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000)
    INSERT INTO settings SELECT 'name ' || n, hex(randomblob(1000)) FROM numbers`);
  await database.run("DELETE FROM settings WHERE name LIKE 'name %'");
  await store.giveBackSpace!(AbortSignal.abort());
  await database.sql.settle();
  const { size } = await stat(path);
  expect(size).toBeGreaterThan(20_000_000);
  await store.giveBackSpace!(signal);
  expect((await stat(path)).size).toBeLessThan(12_000_000);
  await store.check(true);
  await store.close();
});

it('leaves no WAL for the commit of another to copy', async () => {
  const path = join(folder, 'stave.db');
  await (await adapter.open(path, systemClock)).close();
  {
    await using filled = await openDatabase(adapter, path, systemClock);
    await filled.run(`
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${KEYS})
      INSERT INTO idempotency_keys (client_id, mode, key, fingerprint, state, claimed_until, status, headers, body, created_at)
      SELECT 'one', 'live', hex(randomblob(16)), randomblob(32), 'done', 0, 201, '{}', randomblob(200), ${Date.now() - KEY_MS} - n
      FROM numbers`);
  }
  // Closing the database has removed the WAL.
  await using database = await openDatabase(adapter, path, systemClock);
  const keys = new IdempotencyStore(database.sql, systemClock);
  expect(await keys.expire()).toBe(KEYS);
  const { size } = await stat(`${path}-wal`);
  expect(size).toBeLessThan(40_000_000);
});

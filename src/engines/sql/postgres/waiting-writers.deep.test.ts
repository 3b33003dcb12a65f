import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databaseOn, recordingLog } from '../../../../test/harness/postgres-store.ts';
import {
  createDatabase,
  POSTGRES_URL,
  type TestDatabase,
} from '../../../../test/harness/services.ts';
import { until } from '../../../../test/harness/until.ts';
import type { Database } from './database.ts';

const WRITER_LOCK = 0x5374_7665;

/** How many writers wait for the lock at the server. */
const WAITING = `SELECT count(*)::int AS writers FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;

describe.skipIf(POSTGRES_URL === undefined)('writers that wait for another process', () => {
  let place: TestDatabase;
  let database: Database;
  let other: pg.Client;
  beforeEach(async () => {
    place = await createDatabase();
    database = databaseOn(place.url, recordingLog());
    other = new pg.Client(place.url);
    await other.connect();
  });
  afterEach(async () => {
    await other.end();
    await database.close();
    await place.drop();
  });

  it('leave connections to reads', async () => {
    await database.write((tx) => tx.script('CREATE TABLE written (n int)'));
    await other.query('SELECT pg_advisory_lock($1)', [WRITER_LOCK]);
    const numbers = Array.from({ length: 50 }, (_, n) => n);
    const writes = numbers.map((n) =>
      database.write((tx) => tx.rows('INSERT INTO written VALUES ($1::int)', [n])),
    );
    await until(async () => (await other.query(WAITING)).rows[0].writers > 0);
    // A read that gets no connection is rejected after a second.
    const reads = await Promise.all(numbers.map(() => database.rows('SELECT 1 AS one')));
    expect(reads.flat()).toHaveLength(50);
    await other.query('SELECT pg_advisory_unlock($1)', [WRITER_LOCK]);
    await Promise.all(writes);
    const rows = await database.rows<{ n: number }>('SELECT n FROM written ORDER BY n');
    expect(rows.map(({ n }) => n)).toEqual(numbers);
  });

  it('are ended by a close of the database, also those that wait for their turn', async () => {
    await other.query('SELECT pg_advisory_lock($1)', [WRITER_LOCK]);
    const writes = Array.from({ length: 5 }, () => database.write((tx) => tx.rows('SELECT 1')));
    const results = Promise.allSettled(writes);
    await until(async () => (await other.query(WAITING)).rows[0].writers > 0);
    await database.close();
    // A writer that gets no lock in time would be rejected with another error.
    for (const result of await results) {
      expect(result).toMatchObject({ status: 'rejected', reason: { kind: 'unavailable' } });
    }
  });
});

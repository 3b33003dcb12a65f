import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Database } from './database.ts';

let folder: string;
let database: Database;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-database-'));
  database = await Database.open(join(folder, 'stave.db'), 1_000);
  await database.write(() => database.exec('CREATE TABLE numbers (value INTEGER)'));
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const insert = (value: number) => database.prepare('INSERT INTO numbers VALUES (?)').run(value);
const values = () => {
  const rows = database.prepare('SELECT value FROM numbers ORDER BY value').all();
  return rows.map((row) => row.value);
};

it('runs no other call within a transaction that awaits', async () => {
  const gate = Promise.withResolvers<void>();
  const failing = database.write(async () => {
    insert(1);
    await gate.promise;
    throw new Error('given up');
  });
  const calls = [
    database.read(values),
    database.view(values),
    database.write(() => insert(2)),
    database.write(async () => insert(3)),
    database.read(values),
  ];
  gate.resolve();
  await expect(failing).rejects.toThrow('given up');
  const results = await Promise.all(calls);
  expect(results[0]).toEqual([]);
  expect(results[1]).toEqual([]);
  expect(await database.read(values)).toEqual([2, 3]);
});

it('closes after the open transaction', async () => {
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const writing = database.write(async () => {
    insert(1);
    begun.resolve();
    await gate.promise;
    insert(2);
  });
  await begun.promise;
  const closing = database.close();
  gate.resolve();
  await writing;
  await closing;
  database = await Database.open(join(folder, 'stave.db'), 1_000);
  expect(await database.read(values)).toEqual([1, 2]);
});

describe('pages', () => {
  const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get()!)[0];

  it('of a new file have 2 KiB', () => {
    expect(pragma('page_size')).toBe(2048);
  });

  it('of an existing file keep their size, and the WAL keeps its limit in bytes', async () => {
    await database.close();
    const path = join(folder, 'existing.db');
    const existing = new DatabaseSync(path);
    existing.exec('PRAGMA page_size = 4096; PRAGMA journal_mode = WAL');
    existing.exec('CREATE TABLE numbers (value INTEGER)');
    existing.close();
    database = await Database.open(path, 1_000);
    expect(pragma('page_size')).toBe(4096);
    database.checkpointAt(8_192_000);
    expect(pragma('wal_autocheckpoint')).toBe(2_000);
    await database.write(() => insert(1));
    expect(await database.read(values)).toEqual([1]);
  });
});

describe('the free pages of a file', () => {
  const path = () => join(folder, 'stave.db');
  const pages = () => database.prepare('PRAGMA page_count').get()!.page_count as number;
  const fillAndDelete = (share: number) =>
    database.write(() =>
      database.exec(`
        CREATE TABLE texts (n INTEGER PRIMARY KEY, value BLOB);
        WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 10000)
        INSERT INTO texts SELECT n, randomblob(1500) FROM counted;
        DELETE FROM texts WHERE n % 100 < ${100 * share}`),
    );
  const digest = () =>
    database
      .prepare('SELECT count(*) AS count, sum(n) AS sum, hex(max(value)) AS last FROM texts')
      .get();

  it('are given back until few are left', async () => {
    await fillAndDelete(0.8);
    const content = digest();
    const before = pages();
    expect(before).toBeGreaterThan(10_000);
    expect(await database.hasMuchFree()).toBe(true);
    await database.giveBack(1_000);
    expect(pages()).toBeLessThanOrEqual(before - 1_000);
    while (await database.hasMuchFree()) await database.giveBack(1_000);
    expect(pages()).toBeGreaterThan(4_096);
    expect(pages()).toBeLessThan(before - 3_000);
    database.checkpoint();
    expect((await stat(path())).size).toBe(pages() * 2_048);
    expect(digest()).toEqual(content);
  });

  it('are kept if they are few in relation to the others', async () => {
    await fillAndDelete(0.2);
    expect(await database.hasMuchFree()).toBe(false);
  });

  it('of an older file are given back after it was written anew', async () => {
    database.exec('PRAGMA auto_vacuum = NONE; VACUUM');
    await fillAndDelete(0.8);
    const content = digest();
    expect(await database.hasMuchFree()).toBe(false);
    await database.compact();
    expect(pages()).toBeLessThan(2_500);
    expect(database.prepare('PRAGMA auto_vacuum').get()).toEqual({ auto_vacuum: 2 });
    expect(digest()).toEqual(content);
    // Also in a connection that opens the file later.
    await database.close();
    database = await Database.open(path(), 1_000);
    expect(database.prepare('PRAGMA auto_vacuum').get()).toEqual({ auto_vacuum: 2 });
  });
});

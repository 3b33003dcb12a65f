import { mkdirSync, rmdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../../common/clock.ts';
import { batchWriter } from '../../../features/catalog/store/sqlite/track-writer.ts';
import { Database } from './database.ts';
import { SecondConnection } from './second-connection.ts';
import { SqliteSqlDatabase } from './sql-database.ts';

let folder: string;
let database: Database;
let second: SecondConnection;
let store: SqliteSqlDatabase;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-second-'));
  const path = join(folder, 'stave.db');
  database = await Database.open(path, 5_000);
  database.exec('CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT) STRICT');
  second = new SecondConnection({ path });
  store = new SqliteSqlDatabase(database, second, systemClock, batchWriter);
});
afterEach(async () => {
  await second.close();
  await database.close();
  await rm(folder, { recursive: true });
});

const put = (name: string, value = name) =>
  store.apart(async (queries) => {
    await queries.insertInto('settings').values({ name, value }).execute();
  });
const names = async () => {
  const rows = await store.aside.selectFrom('settings').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
};

it('reads what was committed before, and nothing of an open transaction', async () => {
  await put('a');
  expect(await names()).toEqual(['a']);
  await store.write(async ({ queries }) => {
    await queries.insertInto('settings').values({ name: 'b', value: 'b' }).execute();
    expect(await names()).toEqual(['a']);
  });
  expect(await names()).toEqual(['a', 'b']);
});

it('rejects a statement that fails, and goes on', async () => {
  await expect(store.aside.selectFrom('tracks').select('id').execute()).rejects.toThrow(
    'no such table: tracks',
  );
  expect(await names()).toEqual([]);
});

it('copies the WAL while this connection writes', async () => {
  await put('a', 'x'.repeat(100_000));
  expect(database.uncopiedBytes()).toBeGreaterThan(100_000);
  const writes = Array.from({ length: 20 }, (_, n) => put(`w-${n}`));
  await Promise.all([second.checkpoint(), ...writes]);
  await second.checkpoint();
  expect(database.uncopiedBytes()).toBe(0);
  expect(await names()).toHaveLength(21);
});

it('is told to copy the WAL by writes that find much in it', async () => {
  const value = 'x'.repeat(8_000_000);
  for (let n = 0; n < 9; n++) await put(`a-${n}`, value);
  const before = database.uncopiedBytes();
  expect(before).toBeGreaterThan(64_000_000);
  for (let n = 0; database.uncopiedBytes() >= before; n++) {
    expect(n).toBeLessThan(1_000);
    await put(`b-${n}`);
    await names();
  }
});

it('has a cache of the given size', async () => {
  const small = new SecondConnection({ path: database.path, cacheKilobytes: 1_234 });
  const { rows } = await small.read(CompiledQuery.raw('PRAGMA cache_size'));
  await small.close();
  expect(rows).toEqual([{ cacheSize: -1_234 }]);
});

it('ends with its tasks', async () => {
  await names();
  const reading = expect(names()).rejects.toThrow('was ended');
  await second.close();
  await reading;
  await expect(names()).rejects.toThrow('was ended');
});

it('gives each read its own rows after a thread that could not open the file', async () => {
  const path = join(folder, 'folder.db');
  mkdirSync(path);
  const later = new SecondConnection({ path });
  const read = async (value: number) => {
    const { rows } = await later.read(CompiledQuery.raw('SELECT ? AS value', [value]));
    return rows;
  };
  // The first thread fails here, and ends after the next one has begun.
  await expect(read(0)).rejects.toThrow();
  rmdirSync(path);
  const values = [1, 2, 3];
  expect(await Promise.all(values.map(read))).toEqual(values.map((value) => [{ value }]));
  await later.close();
});

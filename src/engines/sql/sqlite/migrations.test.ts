import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordingLog } from '../../../../test/harness/postgres-store.ts';
import { MIGRATIONS, versionAfter } from '../migrations.ts';
import type { Migration } from '../schema.ts';
import { Database } from './database.ts';
import { migrate } from './schema.ts';

const SCHEMA_VERSION = versionAfter(MIGRATIONS);

let folder: string;
const databases: Database[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-migrations-'));
});
afterEach(async () => {
  await Promise.all(databases.splice(0).map((database) => database.close()));
  await rm(folder, { recursive: true });
});

async function open(): Promise<Database> {
  const database = await Database.open(join(folder, 'stave.db'), 5_000);
  databases.push(database);
  return database;
}

const versionOf = (database: Database) =>
  database.read(() => database.prepare('PRAGMA user_version').get()!.user_version);

/** A step after all existing steps. */
const next: Migration = {
  common: ({ text }) => `ALTER TABLE settings ADD COLUMN owner ${text} NOT NULL DEFAULT 'nobody';`,
  sqlite: 'CREATE INDEX settings_by_owner ON settings (owner)',
  summary: 'next',
  compatibleFrom: SCHEMA_VERSION,
};

it('runs the missing steps once if several connections open the database together', async () => {
  const database = await open();
  await migrate(database);
  await database.write(() => database.exec("INSERT INTO settings VALUES ('a', 'b')"));
  const others = await Promise.all(Array.from({ length: 4 }, open));
  await Promise.all(others.map((other) => migrate(other, [...MIGRATIONS, next])));
  expect(await versionOf(database)).toBe(SCHEMA_VERSION + 1);
  const rows = await database.read(() => database.prepareRows('SELECT * FROM settings').all());
  expect(rows).toEqual([['a', 'b', 'nobody']]);
});

it('logs each step of a database that exists, before it runs', async () => {
  const database = await open();
  const log = recordingLog();
  await migrate(database, MIGRATIONS, log);
  expect(log.lines).toEqual([]);
  const failing = { ...next, summary: 'last', common: () => 'NONSENSE' };
  await expect(migrate(database, [...MIGRATIONS, next, failing], log)).rejects.toThrow();
  expect(log.lines).toEqual(Array(2).fill('info: migrating the database'));
  expect(log.text()).toContain(`schema: ${SCHEMA_VERSION + 1}\nsummary: next`);
  expect(log.text()).toContain(`schema: ${SCHEMA_VERSION + 2}\nsummary: last`);
});

it('changes nothing if a step fails', async () => {
  const database = await open();
  await migrate(database);
  const failing = { ...next, sqlite: 'CREATE TABLE settings (name TEXT)' };
  await expect(migrate(database, [...MIGRATIONS, failing])).rejects.toThrow('already exists');
  expect(await versionOf(database)).toBe(SCHEMA_VERSION);
  await migrate(database, [...MIGRATIONS, next]);
  expect(await versionOf(database)).toBe(SCHEMA_VERSION + 1);
});

it('refuses the schema of a version that has a further step', async () => {
  const database = await open();
  await migrate(database, [...MIGRATIONS, next]);
  await expect(migrate(database)).rejects.toThrow('was written by a newer version of Stave');
});

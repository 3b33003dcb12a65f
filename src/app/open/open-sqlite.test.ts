import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, open, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/harness/until.ts';
import { OperatorError } from '../../common/errors.ts';
import { WaitPolicy } from '../../common/work/wait-policy.ts';
import { MIGRATIONS, versionAfter } from '../../engines/sql/migrations.ts';
import { FIRST_VERSION } from '../../engines/sql/schema.ts';
import { Database } from '../../engines/sql/sqlite/database.ts';
import type { Store } from '../../features/store.ts';
import { openSqliteStore } from './open-sqlite.ts';

const SCHEMA_VERSION = versionAfter(MIGRATIONS);

const clock = { now: () => 1_000 };
let folder: string;
let path: string;
const stores: Store[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-sqlite-'));
  path = join(folder, 'stave.db');
});

afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await rm(folder, { recursive: true });
});

async function openStore(at = path, busyTimeoutMs = 8_000): Promise<Store> {
  const store = await openSqliteStore({ path: at, clock, busyTimeoutMs });
  stores.push(store);
  return store;
}

/** Expects that the opening is refused with one line on which the operator can act. */
async function expectRefusal(refused: Promise<unknown>, line: RegExp): Promise<void> {
  const error = await refused.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(OperatorError);
  expect((error as Error).message).toMatch(line);
  expect((error as Error).message).not.toContain('\n');
}

function change(sql: string): void {
  const connection = new DatabaseSync(path);
  connection.exec(sql);
  connection.close();
}

describe('openSqliteStore', () => {
  it('creates a folder and files that only their owner can access', async () => {
    const below = join(folder, 'a', 'b', 'stave.db');
    const store = await openStore(below);
    await store.settings.set('x', 'y');
    const mode = async (of: string) => (await stat(of)).mode & 0o777;
    expect(await mode(join(folder, 'a'))).toBe(0o700);
    expect(await mode(below)).toBe(0o600);
    expect(await mode(`${below}-wal`)).toBe(0o600);
  });

  it('opens a database that it created', async () => {
    await (await openStore()).settings.set('x', 'y');
    expect(await (await openStore()).settings.get('x')).toBe('y');
  });

  it('refuses a database of a newer version, and does not change it', async () => {
    await (await openStore()).close();
    change(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    await expectRefusal(openStore(), /was written by a newer version of Stave/);
    change(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    await openStore();
  });

  it('refuses a database from before the first release, and does not change it', async () => {
    await (await openStore()).close();
    for (const version of [5, FIRST_VERSION - 1]) {
      change(`PRAGMA user_version = ${version}`);
      const line = new RegExp(`from before the first release \\(schema ${version}\\): remove it`);
      await expectRefusal(openStore(), line);
    }
    change(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    await openStore();
  });

  it('refuses the database of another program', async () => {
    change('CREATE TABLE recipes (name TEXT)');
    await expectRefusal(openStore(), /is the database of another program/);
  });

  it('refuses a file that is not a database', async () => {
    await writeFile(path, 'Dear diary, '.repeat(1_000));
    await expectRefusal(openStore(), /is not a database/);
  });

  it('refuses a damaged database when it is opened or read', async () => {
    const store = await openStore();
    for (let i = 0; i < 200; i++) await store.settings.set(`name ${i}`, 'v'.repeat(200));
    await store.close();
    const { size } = await stat(path);
    await truncate(path, size - 3 * 4_096);
    await expectRefusal(
      (async () => {
        const damaged = await openStore();
        await damaged.check(false);
        await damaged.check(true);
      })(),
      /is damaged: restore a backup/,
    );
  });

  it('finds overwritten bytes in a deep check', async () => {
    const store = await openStore();
    for (let i = 0; i < 200; i++) await store.settings.set(`name ${i}`, 'v'.repeat(200));
    await store.check(true);
    await store.close();
    const { size } = await stat(path);
    const file = await open(path, 'r+');
    await file.write(Buffer.alloc(3_000, 0x5a), 0, 3_000, size - 4_096);
    await file.close();
    await expectRefusal(
      openStore().then((damaged) => damaged.check(true)),
      /is damaged: restore a backup/,
    );
  });

  it('refuses a path at which no file can be created', async () => {
    await writeFile(join(folder, 'file'), '');
    await expectRefusal(
      openStore(join(folder, 'file', 'stave.db')),
      /cannot be opened \(E[A-Z]+\)/,
    );
    await expectRefusal(openStore('/proc/stave/stave.db'), /cannot be opened \(E[A-Z]+\)/);
    await expectRefusal(openStore(folder), /cannot be opened/);
  });
});

describe('a second connection of the same process', () => {
  /** A thread that opens the store by itself and uses it. */
  const OTHER_THREAD = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.module).then(async ({ openSqliteStore }) => {
      const store = await openSqliteStore({ path: workerData.path, clock: { now: () => 1 } });
      const read = await store.settings.get('main');
      await store.settings.set('thread', 'x');
      await store.close();
      parentPort.postMessage(read);
    });`;

  it('can belong to another thread, and reads what the first one wrote', async () => {
    const store = await openStore();
    await store.settings.set('main', 'y');
    const module = new URL('./open-sqlite.ts', import.meta.url).href;
    const thread = new Worker(OTHER_THREAD, { eval: true, workerData: { module, path } });
    const exited = once(thread, 'exit');
    const [read] = await once(thread, 'message');
    await exited;
    expect(read).toBe('y');
    expect(await store.settings.get('thread')).toBe('x');
    await store.settings.set('main', 'z');
    expect(await (await openStore()).settings.get('main')).toBe('z');
  });

  it.runIf(existsSync('/proc/locks'))(
    'does not release the lock of the first one on the file',
    async () => {
      await openStore();
      const { ino } = await stat(path);
      const lock = new RegExp(` ${process.pid} [0-9a-f:]+:${ino} `);
      const locked = () => lock.test(readFileSync('/proc/locks', 'utf8'));
      expect(locked()).toBe(true);
      await (await openStore()).close();
      expect(locked()).toBe(true);
    },
  );
});

describe('a write', () => {
  it('waits for the lock of another process without blocking the event loop', async () => {
    const store = await openStore();
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    let turns = 0;
    const writing = store.settings.set('x', 'y');
    while (turns < 5) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      turns++;
    }
    expect(await store.settings.get('x')).toBeUndefined();
    other.exec('COMMIT');
    other.close();
    await writing;
    expect(await store.settings.get('x')).toBe('y');
  });

  it('fails with a one-line error if the lock is never free', async () => {
    const store = await openStore(path, 30);
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    await expectRefusal(store.settings.set('x', 'y'), /^The database is busy: /);
    other.close();
    await store.settings.set('x', 'y');
  });

  it('waits longer for the lock if its wait policy says so, and reports the wait', async () => {
    const reports: string[] = [];
    const waitPolicy = new WaitPolicy({
      ms: 60_000,
      onWait: (reason) => reports.push(reason),
      onContinue: () => reports.push('on'),
    });
    await openStore();
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const store = await openSqliteStore({ path, clock, busyTimeoutMs: 30, waitPolicy });
    stores.push(store);
    const writing = store.settings.set('x', 'y');
    await until(() => reports.length > 0);
    other.close();
    await writing;
    expect(reports).toEqual([`another process keeps ${path} locked`, 'on']);
    expect(await store.settings.get('x')).toBe('y');
  });

  it('reports a full disk, is rolled back, and succeeds when there is space', async () => {
    await openStore();
    const database = await Database.open(path, 100);
    const set = (value: string) =>
      database.write(() => {
        database.prepare("INSERT INTO settings VALUES ('small', 'x')").run();
        database.prepare("INSERT INTO settings VALUES ('large', ?)").run(value);
      });
    database.exec('PRAGMA max_page_count = 60');
    await expectRefusal(set('v'.repeat(1_000_000)), /^No space is left for the database /);
    expect(database.prepare('SELECT count(*) AS rows FROM settings').get()!.rows).toBe(0);
    await set('v');
    database.close();
  });

  it('reports that the file cannot be written', async () => {
    await openStore();
    const database = await Database.open(path, 100);
    database.exec('PRAGMA query_only = ON');
    await expectRefusal(
      database.write(() => database.prepare('DELETE FROM settings').run()),
      /cannot be written: make the file and its folder writable/,
    );
    database.close();
  });
});

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASE_FILE, SNAPSHOT_FILE } from '../../src/data-folder.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { migrateStore } from '../../src/migrate-store/migrate-store.ts';
import { openStore } from '../../src/open-store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/open.ts';
import type { Store } from '../../src/storage/store.ts';
import { TABLES } from '../../src/storage/tables.ts';
import { BY, deliveries, delivery, importAll } from '../contract/deliveries.ts';
import { HAS_SHARED_DATA, SHARED_DATA } from '../harness/import-bench.ts';
import { createDatabase, POSTGRES_URL, type TestDatabase } from '../harness/services.ts';
import {
  type Json,
  type Serving,
  serve,
  someTracks,
  start,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
  until,
} from './harness.ts';

const DAY_MS = 86_400_000;
const NUL = 'N\0L and \uE000';
/** Written a hundred days ago, in another order, with gaps in every numbering. */
const longAgo = { now: () => systemClock.now() - 100 * DAY_MS };

const folders: TemporaryFolder[] = [];
const databases: TestDatabase[] = [];
afterAll(async () => {
  for (const folder of folders) folder[Symbol.dispose]();
  for (const database of databases) await database.drop();
});

function newFolder(): TemporaryFolder {
  const folder = temporaryFolder();
  folders.push(folder);
  return folder;
}

async function newDatabase(): Promise<string> {
  const database = await createDatabase();
  databases.push(database);
  return database.url;
}

async function query<T>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as T[];
  } finally {
    await client.end();
  }
}

/** A store, opened as the migration itself opens it. */
function open(place: { folder: string } | { url: string }): Promise<Store> {
  const location =
    'folder' in place
      ? { dataFolder: place.folder, database: null }
      : { dataFolder: '', database: { url: place.url, replicaUrl: null, pool: 4 } };
  return openStore(location, { clock: systemClock, log: silentLog, midMigration: true });
}

async function oldTracks(folder: string): Promise<void> {
  const store = await openSqliteStore({ path: join(folder, DATABASE_FILE), clock: longAgo });
  const filters = [{ type: 'genre', name: 'Forgotten' }] as const;
  await importAll(store, [
    ...deliveries(0, 50),
    delivery(50, { name: NUL, artists: [{ ...delivery(50).artists[0]!, name: NUL }] }),
  ]);
  await importAll(
    store,
    deliveries(60, 70).map((one) => ({ ...one, source: 'gone', filters: [...filters] })),
  );
  await store.catalog.setState(delivery(7).id, 'taken_down', BY);
  await store.catalog.removeSource('gone', BY);
  await store.close();
}

interface Partner {
  clientId: string;
  liveSecret: string;
  testSecret: string;
}

/** Something of everything; the partner sees the playlist. */
async function fill(folder: string): Promise<Partner> {
  await oldTracks(folder);
  if (HAS_SHARED_DATA) {
    for (const name of ['freemusi', 'sfx']) {
      await stave(folder, ['import', join(SHARED_DATA, `${name}.ndjson.gz`)]);
    }
  }
  const file = join(folder, 'more.ndjson');
  writeFileSync(file, someTracks(HAS_SHARED_DATA ? 10 : 20_500));
  await staveJson(folder, ['import', file]);
  const all = ['-s', 'tracks,search,filters,playlists,analytics'];
  const partner = await staveJson(folder, ['clients', 'create', '-n', 'Acme', ...all]);
  await staveJson(folder, ['clients', 'create', '-n', 'Other', '-s', 'tracks']);
  const { slug } = await staveJson(folder, ['playlists', 'create', '-n', 'Best']);
  await staveJson(folder, ['playlists', 'add', slug, '-t', 'track-1,track-2,track-3']);
  await staveJson(folder, ['playlists', 'grant', slug, '-c', partner.clientId]);
  await staveJson(folder, ['tracks', 'takedown', 'track-4']);
  const licence = { track: 'track-1', mode: 'live', licensedAt: new Date().toISOString() };
  writeFileSync(file, `${JSON.stringify({ externalId: 'l', ...licence })}\n`);
  await staveJson(folder, ['licenses', 'import', file]);
  return partner;
}

const QUESTIONS = [
  '/v1/tracks?limit=100',
  '/v1/tracks?limit=20&page=40',
  '/v1/tracks?search=night',
  `/v1/tracks/${delivery(50).id}`,
  '/v1/search?search=love&limit=50',
  '/v1/suggest?q=ni',
  '/v1/filters',
  '/v1/playlists',
  '/v1/playlists/best/tracks',
  '/v1/tracks/track-1',
  '/v1/tracks/track-4',
  '/v1/analytics/most-licensed',
  '/v1/me',
];

async function answers(service: Serving, token: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${token}` };
  return Promise.all(
    QUESTIONS.map(async (path) => {
      const response = await fetch(service.url + path, { headers });
      const text = (await response.text()).replace(
        /"(streamUrl\w*|requestId)":"[^"]*"/g,
        '"$1":"…"',
      );
      return `${path} ${response.status} ${text}`;
    }),
  );
}

describe.skipIf(POSTGRES_URL === undefined)('stave migrate-store', () => {
  let folder: string;
  let partner: Partner;
  beforeAll(async () => {
    folder = newFolder().at('data');
    partner = await fill(folder);
  }, 180_000);

  it('moves everything, killed again and again, beside a service, and nobody can tell', async () => {
    const url = await newDatabase();
    const publicUrl = { STAVE_PUBLIC_URL: 'https://music.example.com' };
    const on = { STAVE_DATABASE_URL: url, ...publicUrl };
    await using old = await serve(folder, publicUrl);
    const oldToken = await old.token(partner.clientId, partner.liveSecret);
    await until(() => existsSync(join(folder, SNAPSHOT_FILE)), 'the snapshot', 60_000);

    let killed = 0;
    for (let i = 0; i < 8; i++) {
      const child = start(folder, ['migrate-store', '--json'], { env: on });
      const ended = new Promise((resolve) => child.once('close', resolve));
      await Promise.race([ended, sleep(400 + Math.random() * 1_500)]);
      child.kill('SIGKILL');
      await ended;
      if (child.signalCode === null) break;
      killed++;
      const [there] = await query<{ settings: string | null }>(
        url,
        "SELECT to_regclass('settings')::text AS settings",
      );
      const isBegun =
        there!.settings !== null &&
        (await query(url, "SELECT FROM settings WHERE name = 'migration'")).length > 0;
      if (!isBegun) continue;
      const refused = await stave(folder, ['log'], { env: on });
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(
        /^stave: A migration into the database .* is unfinished: run stave migrate-store again, or drop it\.\n$/,
      );
      expect((await stave(folder, ['serve'], { env: on })).stderr).toBe(refused.stderr);
    }
    expect(killed).toBeGreaterThan(0);
    const moved = await stave(folder, ['migrate-store', '--json'], { env: on });
    expect([moved.code, moved.stderr]).toEqual([
      0,
      'audio and artwork stay where they are: leave STAVE_DATA as it is, or move them with `stave migrate-media`\n',
    ]);
    expect(moved.json).toMatchObject({
      tables: {
        clients: { rows: 2 },
        client_secrets: { rows: 4 },
        playlists: { rows: 1 },
        playlist_tracks: { rows: 3 },
        playlist_grants: { rows: 1 },
        licences: { rows: 1 },
      },
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(moved.json.tables.tracks.rows).toBeGreaterThan(20_000);
    expect(moved.stdout + moved.stderr).not.toContain(partner.liveSecret);

    await using now = await serve(folder, on);
    await until(() => now.output().includes('search index ready'), 'the index', 60_000);
    const ready = now
      .output()
      .split('\n')
      .find((line) => line.includes('search index ready'));
    expect(JSON.parse(ready!)).toMatchObject({ from: 'snapshot' });
    await until(async () => (await now.get('/health-check')).status === 200, 'health');
    const newToken = await now.token(partner.clientId, partner.testSecret);
    for (const token of [oldToken, newToken]) {
      expect(await answers(now, token)).toEqual(await answers(old, token));
    }
    const [page, , , odd] = await answers(now, newToken);
    expect(page).toMatch(/ 200 /);
    expect(odd).toContain(JSON.stringify(NUL).slice(1, -1));

    // What comes next gets numbers that nothing had before.
    const env = { env: on };
    writeFileSync(join(folder, 'next.ndjson'), someTracks(30));
    const next = await stave(folder, ['import', join(folder, 'next.ndjson'), '--json'], env);
    expect([next.code, next.json.created]).toEqual([0, HAS_SHARED_DATA ? 20 : 0]);
    const more = ['clients', 'create', '-n', 'Third', '-s', 'tracks'];
    expect((await stave(folder, more, env)).code).toBe(0);
    expect((await stave(folder, ['playlists', 'create', '-n', 'Next'], env)).code).toBe(0);
    expect((await stave(folder, ['keys', 'rotate'], env)).code).toBe(0);
  }, 240_000);

  it('finds a row that was changed, removed or added by hand', async () => {
    const [data, url] = [newFolder().at('data'), await newDatabase()];
    await fillLittle(data);
    const on = { env: { STAVE_DATABASE_URL: url } };
    expect((await stave(data, ['migrate-store'], on)).code).toBe(0);
    for (const [change, undo, told] of [
      [
        "UPDATE tracks SET document = document || ' ' WHERE no = 3",
        'UPDATE tracks SET document = rtrim(document) WHERE no = 3',
        'The row of tracks with no 3 is another in',
      ],
      [
        'DELETE FROM change_log WHERE seq IN (79, 81)',
        undefined,
        'The row of change_log with seq 79 is missing in',
      ],
    ] as const) {
      await query(url, change);
      const ran = await stave(data, ['migrate-store', '--json'], on);
      expect([ran.code, ran.stdout]).toEqual([1, '']);
      expect(ran.stderr).toMatch(
        /^stave: [^\n]+ drop [^\n]+, and run stave migrate-store again\.\n$/,
      );
      expect(ran.stderr).toContain(told);
      if (undo !== undefined) {
        await query(url, undo);
        const again = await stave(data, ['migrate-store', '--json'], on);
        expect(again.json).toMatchObject({ copied: 0 });
      }
    }
    await query(url, 'INSERT INTO track_filters VALUES (1, 999)');
    expect((await stave(data, ['migrate-store'], on)).stderr).toContain(
      'The row of track_filters with track_no 1, filter_no 999 is in',
    );
  });

  it('moves back, and what comes back is what went', async () => {
    const [there, back] = [newFolder(), newFolder().at('data')];
    const url = await newDatabase();
    await fillLittle(there.at('data'));
    const on = { env: { STAVE_DATABASE_URL: url } };
    const went = await stave(there.at('data'), ['migrate-store', '--json'], on);
    const came = await staveJson(back, ['migrate-store', '--from', url, '--to', `sqlite:${back}`]);
    expect([came.tables, came.sha256]).toEqual([went.json.tables, went.json.sha256]);
    expect(came.copied).toBe(came.rows);
    // A fresh folder's file, sound and complete by SQLite's own measure.
    const store = await open({ folder: back });
    await store.check(true);
    const { changeLog, ...counters } = await store.tables.counters();
    expect(counters).toEqual({ filters: 11, removedTracks: 61 });
    expect(changeLog).toBe(await store.changes.head());
    await store.close();
    await staveJson(back, ['clients', 'create', '-n', 'Later', '-s', 'tracks']);
  });

  it('goes on with a log that the source has shortened meanwhile', async () => {
    const [data, url] = [newFolder().at('data'), await newDatabase()];
    await fillLittle(data);
    await expect(moveAndStopAt(data, url, 'change_log')).rejects.toThrow('stopped');
    const source = await open({ folder: data });
    expect(await source.changes.expire(systemClock.now() - 90 * DAY_MS)).toBeGreaterThan(50);
    await source.close();
    const ran = await stave(data, ['migrate-store', '--to', url, '--json']);
    expect([ran.code, ran.json?.tables.change_log.rows]).toEqual([0, 1 + 10 + 10]);
  });

  it('refuses to go on with a source that has changed', async () => {
    const [data, url] = [newFolder().at('data'), await newDatabase()];
    await fillLittle(data);
    await expect(moveAndStopAt(data, url, 'tracks')).rejects.toThrow('stopped');
    await staveJson(data, ['clients', 'create', '-n', 'Late', '-s', 'tracks']);
    const changed =
      /has changed since it began to be moved: stop imports and commands, drop .*, and run stave migrate-store again\.$/;
    const ran = await stave(data, ['migrate-store', '--to', url]);
    expect(ran.code).toBe(1);
    expect(ran.stderr.trim()).toMatch(changed);

    // And while it runs.
    const [from, to] = [await open({ folder: data }), await open({ url: await newDatabase() })];
    let isChanged = false;
    const moving = migrateStore(from, to, {
      clock: systemClock,
      onProgress() {
        if (!isChanged) void stave(data, ['tracks', 'takedown', 'track-3']);
        isChanged = true;
      },
    });
    await expect(moving).rejects.toThrow(changed);
    await Promise.all([from.close(), to.close()]);
  });

  it('refuses what is not its own', async () => {
    const [data, other] = [newFolder().at('data'), newFolder().at('data')];
    const [url, partly] = [await newDatabase(), await newDatabase()];
    for (const one of [data, other]) await fillLittle(one);
    await stave(data, ['clients', 'create', '-n', 'A', '-s', 'tracks'], {
      env: { STAVE_DATABASE_URL: url },
    });
    await expect(moveAndStopAt(other, partly, 'tracks')).rejects.toThrow('stopped');
    for (const [args, line] of [
      [[], 'where to is not known: give --to, or set STAVE_DATABASE_URL'],
      [['--to', url], 'holds a catalog already: name an empty database with --to'],
      [['--to', partly], 'holds a part of another catalog, whose migration is unfinished'],
      [['--to', `sqlite:${data}`], '--from and --to are the same place'],
      [['--to', 'mysql://u:sesame@h/d'], '--to must be sqlite:FOLDER or postgres://'],
      [['--from', 'sqlite:/nonexistent', '--to', url], 'there is no catalog in /nonexistent'],
      [['--from', partly, '--to', url], 'is unfinished: run stave migrate-store again'],
      [['--from', await newDatabase(), '--to', `sqlite:${data}2`], 'There is no catalog in'],
      [['--to', 'postgres://u:sesame@127.0.0.1:1/x'], 'cannot be reached'],
    ] as const) {
      const ran = await stave(data, ['migrate-store', ...args]);
      expect([ran.code, ran.stdout]).toEqual([1, '']);
      expect(ran.stderr).toMatch(/^stave: [^\n]+\n$/);
      expect(ran.stderr).toContain(line);
      expect(ran.stderr).not.toContain('sesame');
    }
    await query(url, 'ALTER TABLE tracks ADD COLUMN mood text; CREATE TABLE webhooks (no bigint)');
    const newer = await stave(data, ['migrate-store', '--to', url]);
    expect(newer.stderr).toContain('cannot move (tracks.mood, webhooks)');
  });

  it('lets only one write to the target', async () => {
    const [data, url] = [newFolder().at('data'), await newDatabase()];
    await fillLittle(data);
    const runs = await Promise.all(
      [1, 2].map(() => stave(data, ['migrate-store', '--to', url, '--json'])),
    );
    for (const { code, stderr } of runs) {
      if (code !== 0) expect(stderr).toMatch(/Something else writes to .*: stop it, and run/);
    }
    const last = await stave(data, ['migrate-store', '--to', url, '--json']);
    expect(last.code).toBe(0);
  });

  it('knows every column of both schemas', async () => {
    for (const place of [{ folder: newFolder().at('data') }, { url: await newDatabase() }]) {
      const store = await open(place);
      expect(await store.tables.strangers()).toEqual([]);
      for (const table of TABLES) expect(await store.tables.rowsAfter(table, null, 1)).toEqual([]);
      await store.close();
    }
  });
});

/** 51 tracks, of a hundred days ago, and ten new ones; no clients. */
async function fillLittle(data: string): Promise<Json> {
  await oldTracks(data);
  const file = join(data, 'little.ndjson');
  writeFileSync(file, someTracks(10));
  return staveJson(data, ['import', file]);
}

/** As if it were killed after the last slice before that table was compared. */
async function moveAndStopAt(data: string, url: string, name: string): Promise<void> {
  const [from, to] = [await open({ folder: data }), await open({ url })];
  const counts = await Promise.all(TABLES.map((table) => from.tables.count(table)));
  const before = TABLES.findIndex((table) => table.name === name);
  const enough = counts.slice(0, before + 1).reduce((sum, count) => sum + count, 0);
  try {
    await migrateStore(from, to, {
      clock: systemClock,
      onProgress({ moved }) {
        if (moved >= enough) throw new Error('stopped');
      },
    });
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
}

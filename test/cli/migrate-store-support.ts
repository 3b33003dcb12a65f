import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll } from 'vitest';
import { DATABASE_FILE } from '../../src/app/open/data-folder.ts';
import { openSqliteStore } from '../../src/app/open/open-sqlite.ts';
import { openStore } from '../../src/app/open/open-store.ts';
import { systemClock } from '../../src/common/clock.ts';
import { silentLog } from '../../src/common/log.ts';
import { TABLES } from '../../src/engines/sql/copied-tables.ts';
import type { Store } from '../../src/features/store.ts';
import { migrateStore } from '../../src/operator/migrate-store.ts';
import {
  type Json,
  type Serving,
  someTracks,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { HAS_SHARED_DATA, SHARED_DATA } from '../harness/import-bench.ts';
import { repeatedWhileOverloaded } from '../harness/overload.ts';
import { createDatabase, type TestDatabase } from '../harness/services.ts';
import { setTrackState } from '../harness/track-state.ts';
import { addReportedUse } from './reported-use.ts';

const DAY_MS = 86_400_000;
/** The ids of the collection and of the saved search of the partner. */
const COLLECTION = '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41';
const SAVED_SEARCH = '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c42';
export const NUL = 'N\0L and \uE000';

/** A clock of a hundred days ago. */
const longAgo = { now: () => systemClock.now() - 100 * DAY_MS };

const folders: TemporaryFolder[] = [];

const databases: TestDatabase[] = [];

/** Removes folders and databases after the tests of a file. */
export function removePlacesAfterTests(): void {
  afterAll(async () => {
    for (const folder of folders.splice(0)) folder[Symbol.dispose]();
    for (const database of databases.splice(0)) await database.drop();
  });
}

export function newFolder(): TemporaryFolder {
  const folder = temporaryFolder();
  folders.push(folder);
  return folder;
}

export async function newDatabase(): Promise<string> {
  const database = await createDatabase();
  databases.push(database);
  return database.url;
}

export async function query<T>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as T[];
  } finally {
    await client.end();
  }
}

/** Opens a store like the move does. */
export function open(place: { folder: string } | { url: string }): Promise<Store> {
  const location =
    'folder' in place
      ? { dataFolder: place.folder, database: null }
      : { dataFolder: '', database: { url: place.url, pool: 4 } };
  return openStore(location, { clock: systemClock, log: silentLog, midMigration: true });
}

/** A part of a track. */
const PART = {
  kind: 'drums',
  name: NUL,
  durationSeconds: 9,
  audioKey: `${'c'.repeat(64)}.wav`,
  sizeBytes: 1,
};

async function oldTracks(folder: string): Promise<void> {
  const store = await openSqliteStore({ path: join(folder, DATABASE_FILE), clock: longAgo });
  const filters = [{ type: 'genre', name: 'Forgotten' }] as const;
  await importAll(store, [
    ...deliveries(0, 50),
    delivery(50, {
      name: NUL,
      artists: [{ ...delivery(50).artists[0]!, name: NUL }],
      iswc: 'T-034.524.680-1',
      writers: [{ name: NUL, role: 'COMPOSER', ipi: '00014107338', society: 'GEMA', share: 5_000 }],
      previewStart: 7,
      previewKey: `${'a'.repeat(64)}.mp3`,
      waveformKey: `${'b'.repeat(64)}.dat`,
      stems: [PART, { ...PART, name: null }],
      versions: [{ ...PART, kind: 'loop', sizeBytes: 2 ** 40 }],
    }),
  ]);
  await importAll(
    store,
    deliveries(60, 70).map((one) => ({ ...one, source: 'gone', filters: [...filters] })),
  );
  await setTrackState(store, delivery(7).id, 'taken_down', BY);
  await store.catalog.removeSource('gone', BY);
  await store.close();
}

/** The clock of the machine, because a service on the store deletes old keys of requests. */
async function useOldTracks(folder: string): Promise<void> {
  const store = await open({ folder });
  await addReportedUse(store);
  await store.close();
}

export interface Partner {
  clientId: string;
  liveSecret: string;
  testSecret: string;
}

/** Fills a store with rows of every kind. The partner sees the playlist. */
export async function fill(folder: string): Promise<Partner> {
  await oldTracks(folder);
  await useOldTracks(folder);
  if (HAS_SHARED_DATA) {
    for (const name of ['freemusi', 'sfx']) {
      await stave(folder, ['import', join(SHARED_DATA, `${name}.ndjson.gz`)]);
    }
  }
  const file = join(folder, 'more.ndjson');
  writeFileSync(file, someTracks(HAS_SHARED_DATA ? 10 : 20_500));
  await staveJson(folder, ['import', file]);
  const all = ['-s', 'tracks,search,filters,playlists,analytics'];
  const card = ['--rate-card', 'games', '--allow-missing'];
  const terms = ['-f', 'saved-searches', '--account', 'Acme Group', ...card];
  const partner = await staveJson(folder, ['clients', 'create', '-n', 'Acme', ...all, ...terms]);
  const mates = ['-s', 'tracks', '--account', 'Acme Group'];
  const other = await staveJson(folder, ['clients', 'create', '-n', 'Other', ...mates]);
  const { slug } = await staveJson(folder, ['playlists', 'create', '-n', 'Best']);
  await staveJson(folder, ['playlists', 'add', slug, '-t', 'track-1,track-2,track-3']);
  await staveJson(folder, ['playlists', 'grant', slug, '-c', partner.clientId]);
  await keepLists(folder, partner.clientId, other.clientId);
  await staveJson(folder, ['tracks', 'takedown', 'track-4']);
  const license = { track: 'track-1', mode: 'live', licensedAt: new Date().toISOString() };
  writeFileSync(file, `${JSON.stringify({ externalId: 'l', ...license })}\n`);
  await staveJson(folder, ['licenses', 'import', file]);
  return partner;
}

/** Adds a collection and a saved search in test mode. */
async function keepLists(folder: string, clientId: string, mate: string): Promise<void> {
  const store = await open({ folder });
  const context = { actor: `client:${clientId}`, clientId, mode: 'test' } as const;
  const items = ['track-1', 'track-4', 'track-2'].map((track) => ({ track, field: 'items' }));
  items[1] = Object.assign(items[1]!, { note: NUL.replace('\0', '') });
  const texts = { name: 'Spring', description: 'for the campaign' };
  await store.collections.create({ id: COLLECTION, ...texts, items }, context);
  await store.collections.share(COLLECTION, mate, context);
  const search = { name: 'Nights', query: '{"query":"night"}', notify: true };
  await store.savedSearches.create({ id: SAVED_SEARCH, ...search }, context);
  await store.close();
}

const PATHS = [
  '/v1/tracks?pageSize=100',
  '/v1/tracks?pageSize=20&page=40',
  '/v1/tracks?search=night',
  `/v1/tracks/${delivery(50).id}`,
  '/v1/search?search=love&limit=50',
  '/v1/suggest?q=ni',
  '/v1/filters',
  '/v1/playlists',
  '/v1/playlists/best/tracks',
  '/v1/collections',
  `/v1/collections/${COLLECTION}/tracks`,
  '/v1/saved-searches',
  `/v1/saved-searches/${SAVED_SEARCH}/tracks`,
  '/v1/tracks/track-1',
  '/v1/tracks/track-4',
  '/v1/analytics/most-licensed',
  '/v1/me',
];

export async function responses(service: Serving, token: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${token}` };
  return Promise.all(
    PATHS.map(async (path) => {
      const { status, body } = await repeatedWhileOverloaded(
        async () => {
          const response = await fetch(service.url + path, { headers });
          return { status: response.status, body: await response.text() };
        },
        ({ body }) => body,
      );
      const text = body.replace(/"(streamUrl\w*|requestId)":"[^"]*"/g, '"$1":"…"');
      return `${path} ${status} ${text}`;
    }),
  );
}

/** Fills a store with 51 tracks of a hundred days ago and ten new ones, without clients. */
export async function fillLittle(data: string): Promise<Json> {
  await oldTracks(data);
  await useOldTracks(data);
  const file = join(data, 'little.ndjson');
  writeFileSync(file, someTracks(10));
  return staveJson(data, ['import', file]);
}

/** Runs a move until the comparison of a table, as if it were killed there. */
export async function moveAndStopAt(data: string, url: string, name: string): Promise<void> {
  const [from, to] = [await open({ folder: data }), await open({ url })];
  const counts = await Promise.all(TABLES.map((table) => from.tables.count(table)));
  const before = TABLES.findIndex((table) => table.name === name);
  const enough = counts.slice(0, before + 1).reduce((sum, count) => sum + count, 0);
  try {
    await migrateStore(from, to, {
      onProgress({ moved }) {
        if (moved >= enough) throw new Error('stopped');
      },
    });
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
}

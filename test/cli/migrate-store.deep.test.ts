import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { SNAPSHOT_FILE } from '../../src/app/open/data-folder.ts';
import { serve, someTracks, start, stave, staveJson } from '../harness/cli.ts';
import { HAS_SHARED_DATA } from '../harness/import-bench.ts';
import { POSTGRES_URL } from '../harness/services.ts';
import { testRandom } from '../harness/test-random.ts';
import { until } from '../harness/until.ts';
import {
  fill,
  fillLittle,
  NUL,
  newDatabase,
  newFolder,
  open,
  type Partner,
  query,
  removePlacesAfterTests,
  responses,
} from './migrate-store-support.ts';
import { reportMore, SHOWN, shownUse, USE_ROWS } from './reported-use.ts';

removePlacesAfterTests();

/** What a move reports of the tables with reported use. */
const useRows = () =>
  Object.fromEntries(Object.entries(USE_ROWS).map(([name, rows]) => [name, { rows }]));

describe.skipIf(POSTGRES_URL === undefined)('stave migrate-store', () => {
  let folder: string;
  let partner: Partner;
  beforeAll(async () => {
    folder = newFolder().at('data');
    partner = await fill(folder);
  }, 180_000);

  it('moves everything despite kills, beside a service, and partners see no difference', async () => {
    const url = await newDatabase();
    const publicUrl = { STAVE_PUBLIC_URL: 'https://music.example.com' };
    const on = { STAVE_DATABASE_URL: url, ...publicUrl };
    await using old = await serve(folder, publicUrl);
    const oldToken = await old.token(partner.clientId, partner.liveSecret);
    await until(() => existsSync(join(folder, SNAPSHOT_FILE)), 'the snapshot');

    const random = testRandom('kills of migrate-store');
    let killed = 0;
    for (let i = 0; i < 8; i++) {
      const child = start(folder, ['migrate-store', '--json'], { env: on });
      const ended = new Promise((resolve) => child.once('close', resolve));
      await Promise.race([ended, sleep(random.integer(400, 1_900))]);
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
      expect((await stave(`${folder}-2`, ['serve'], { env: on })).stderr).toBe(refused.stderr);
    }
    expect(killed).toBeGreaterThan(0);
    const moved = await stave(folder, ['migrate-store', '--json'], { env: on });
    expect([moved.code, moved.stderr]).toEqual([
      0,
      'audio and artwork are not moved: leave STAVE_DATA as it is, or copy them with `stave migrate-media`\n',
    ]);
    expect(moved.json).toMatchObject({
      tables: {
        clients: { rows: 2 },
        client_secrets: { rows: 4 },
        playlists: { rows: 1 },
        playlist_tracks: { rows: 3 },
        playlist_grants: { rows: 1 },
        collections: { rows: 1 },
        collection_tracks: { rows: 3 },
        collection_shares: { rows: 1 },
        saved_searches: { rows: 1 },
        licenses: { rows: 1 },
        ...useRows(),
      },
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(moved.json.tables.tracks.rows).toBeGreaterThan(20_000);
    expect(moved.stdout + moved.stderr).not.toContain(partner.liveSecret);

    // Both services run at once, so each has a data folder.
    cpSync(folder, `${folder}-2`, { recursive: true });
    await using now = await serve(`${folder}-2`, on);
    await until(() => now.output().includes('search index ready'), 'the index');
    const ready = now
      .output()
      .split('\n')
      .find((line) => line.includes('search index ready'));
    expect(JSON.parse(ready!)).toMatchObject({ from: 'snapshot' });
    await until(async () => (await now.get('/health-check')).status === 200, 'health');
    const newToken = await now.token(partner.clientId, partner.testSecret);
    for (const token of [oldToken, newToken]) {
      expect(await responses(now, token)).toEqual(await responses(old, token));
    }
    for (const place of [{ folder }, { url }]) {
      const store = await open(place);
      expect(await shownUse(store)).toMatchObject(SHOWN);
      await store.close();
    }
    const shown = await responses(now, newToken);
    const [page, , , odd] = shown;
    const placed = shown.find((text) => text.startsWith('/v1/collections/'));
    expect(page).toMatch(/ 200 /);
    expect(placed).toContain('"position":2,"note":"",');
    const searches = shown.find((text) => text.startsWith('/v1/saved-searches '));
    expect(searches).toContain('"search":{"query":"night"},"notify":true,');
    expect(odd).toContain(JSON.stringify(NUL).slice(1, -1));

    // New rows get numbers that no row had before.
    const env = { env: on };
    writeFileSync(join(folder, 'next.ndjson'), someTracks(30));
    const next = await stave(folder, ['import', join(folder, 'next.ndjson'), '--json'], env);
    expect([next.code, next.json.created]).toEqual([0, HAS_SHARED_DATA ? 20 : 0]);
    const more = ['clients', 'create', '-n', 'Third', '-s', 'tracks'];
    expect((await stave(folder, more, env)).code).toBe(0);
    expect((await stave(folder, ['playlists', 'create', '-n', 'Next'], env)).code).toBe(0);
    expect((await stave(folder, ['keys', 'rotate'], env)).code).toBe(0);
  }, 240_000);

  it('finds a row that was changed, removed or added manually', async () => {
    const [data, url] = [newFolder().at('data'), await newDatabase()];
    await fillLittle(data);
    const on = { env: { STAVE_DATABASE_URL: url } };
    expect((await stave(data, ['migrate-store'], on)).code).toBe(0);
    for (const [change, undo, finding] of [
      [
        "UPDATE tracks SET name = name || ' ' WHERE row_id = 3",
        'UPDATE tracks SET name = rtrim(name) WHERE row_id = 3',
        'The row of tracks with row_id 3 differs between',
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
        /^stave: [^\n]+ keep [^\n]+, which an earlier move completed, [^\n]+ --to[^\n]*\n$/,
      );
      expect(ran.stderr).toContain(finding);
      if (undo !== undefined) {
        await query(url, undo);
        const again = await stave(data, ['migrate-store', '--json'], on);
        expect(again.json).toMatchObject({ copied: 0 });
      }
    }
    await query(url, "INSERT INTO slug_series VALUES ('track', 'added', 9)");
    expect((await stave(data, ['migrate-store'], on)).stderr).toContain(
      'The row of slug_series with kind track, base added is in',
    );
  });

  it('moves back without a difference', async () => {
    const [there, back] = [newFolder(), newFolder().at('data')];
    const url = await newDatabase();
    await fillLittle(there.at('data'));
    await staveJson(there.at('data'), ['changes', 'new-epoch']);
    const on = { env: { STAVE_DATABASE_URL: url } };
    const went = await stave(there.at('data'), ['migrate-store', '--json'], on);
    expect(went.json.tables).toMatchObject({ track_writers: { rows: 1 }, ...useRows() });
    const came = await staveJson(back, ['migrate-store', '--from', url, '--to', `sqlite:${back}`]);
    expect([came.tables, came.sha256]).toEqual([went.json.tables, went.json.sha256]);
    expect(came.copied).toBe(came.rows);
    // The months with many events have partitions, and the one with few does not.
    const partitions = await query<{ name: string; events: number }>(
      url,
      'SELECT tableoid::regclass::text AS name, count(*)::int AS events FROM usage_events GROUP BY 1 ORDER BY 1',
    );
    expect(partitions).toEqual([
      { name: 'usage_events_202608', events: 1_200 },
      { name: 'usage_events_default', events: 40 },
    ]);
    // SQLite's check finds the new file complete.
    const store = await open({ folder: back });
    await store.check(true);
    const { changeLog, ...counters } = await store.tables.counters();
    expect(counters).toEqual({ artists: 8, filters: 11, removedTracks: 61, floor: 0, floorAt: 0 });
    expect(changeLog).toBe(await store.changes.head());
    const bounds = await store.changes.bounds();
    await store.close();
    expect(bounds.epoch).toMatch(/^[0-9a-f]{16}$/);
    const original = await open({ folder: there.at('data') });
    expect(bounds).toEqual(await original.changes.bounds());
    const [moved, returned] = [await open({ url }), await open({ folder: back })];
    const shown = await shownUse(original);
    expect(shown).toMatchObject(SHOWN);
    for (const copy of [moved, returned]) {
      expect(await shownUse(copy)).toEqual(shown);
      expect(await reportMore(copy)).toEqual({ accepted: 1 });
      await copy.close();
    }
    await original.close();
    await staveJson(back, ['clients', 'create', '-n', 'Later', '-s', 'tracks']);
  });
});

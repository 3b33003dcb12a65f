import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useLists } from '../../../../test/contract/collections-support.ts';
import { useLicensing } from '../../../../test/contract/licensing-support.ts';
import { TestClock } from '../../../../test/harness/clock.ts';
import { BY, deliveries, delivery, importAll } from '../../../../test/harness/deliveries.ts';
import { numbersOf, someClient, trackId } from '../../../../test/harness/stores.ts';
import { setTrackState } from '../../../../test/harness/track-state.ts';
import { newId } from '../../../common/ids.ts';
import { Database } from '../../../engines/sql/sqlite/database.ts';
import { SecondConnection } from '../../../engines/sql/sqlite/second-connection.ts';
import type { Store } from '../../../features/store.ts';
import { openSqliteStore } from '../../open/open-sqlite.ts';

/** The steps by which the operator lists few rows in their order: all rate cards, and the latest of others. */
const LISTS = /^SCAN ((rate_cards|quotes) USING INDEX sqlite_autoindex_\w+_1|issued_licenses)$/;

/** The steps that read parameters, rows that the statement has found, or a table of one row. */
const PARTS =
  /^SCAN (json_each( EXISTS)? VIRTUAL TABLE INDEX 1:|\d+-ROW VALUES CLAUSE|chosen|given|held|colliding|placed|some|used|\(subquery-\d+\)|change_log_floor)$/;

/** The texts of the shared queries that were prepared. */
const prepared = new Set<string>();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-plans-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

it('finds a granted playlist without reading those of other clients', async () => {
  const plans = await plansOf(async ({ playlists }) => {
    await playlists.find('p', 'a client');
    await playlists.find(newId(), 'a client');
  });
  expect(plans).toHaveLength(2);
  for (const plan of plans) {
    expect(plan.filter((step) => /^SEARCH/.test(step))).toEqual([
      'SEARCH playlists USING INTEGER PRIMARY KEY (rowid=?)',
      'SEARCH playlist_grants USING COVERING INDEX playlist_grants_by_client (client_row_id=?)',
      'SEARCH clients USING COVERING INDEX sqlite_autoindex_clients_1 (id=?)',
      'SEARCH playlists USING INTEGER PRIMARY KEY (rowid=?)',
    ]);
  }
});

it('finds when a track was taken down by the index of takedowns', async () => {
  const { id } = delivery(1);
  const plans = await plansOf(async (store) => {
    await importAll(store, [delivery(1)]);
    await setTrackState(store, id, 'taken_down', BY);
    await store.clients.create(someClient({ id: 'a client' }), BY);
    const playlist = { id: newId(), name: 'p', description: '', createdAt: 1, updatedAt: 1 };
    await store.playlists.create(playlist, [id], BY);
    await store.playlists.grant(playlist.id, 'a client', BY);
    expect(await store.references.ofTrack(id, 'a client', 'live')).toMatchObject({ since: 1 });
  });
  expect(plans).toContainEqual([
    'SEARCH change_log USING INDEX change_log_of_takedowns (entity_id=?)',
  ]);
});

it('finds whether a track was taken down meanwhile by the index of takedowns', async () => {
  const { id } = delivery(1);
  const plans = await plansOf(async (store) => {
    await importAll(store, [delivery(1)]);
    const rowIds = await numbersOf(store, [id]);
    const change = { state: 'taken_down', reason: null, reference: null } as const;
    const { trackFinder } = store.unchangedSince(await store.changes.head());
    expect(await trackFinder.setStates(rowIds, change, BY)).toHaveLength(1);
  });
  expect(plans).toContainEqual([
    'SEARCH change_log USING INDEX change_log_of_takedowns (entity_id=? AND seq>?)',
  ]);
});

it('finds whether a track was changed meanwhile by the index of ids', async () => {
  const plans = await plansOf(async (store) => {
    await importAll(store, [delivery(1)]);
    const { trackEdits } = store.unchangedSince(await store.changes.head());
    await trackEdits.edit(delivery(1).id, { revert: [], set: { name: 'New' } }, BY);
  });
  expect(plans).toContainEqual([
    'SEARCH change_log USING INDEX change_log_by_entity_id (<expr>=? AND seq>?)',
  ]);
});

it('reads no whole table for a collection or a saved search', async () => {
  const plans = await plansOf(async (store) => {
    await importAll(store, deliveries(0, 3));
    const clients = [someClient({ account: 'Acme' }), someClient({ account: 'Acme' })] as const;
    for (const client of clients) await store.clients.create(client, BY);
    prepared.clear();
    await useLists(store, clients[0].id, clients[1].id);
  });
  expect(plans.length).toBeGreaterThan(40);
  const scans = plans.flat().filter((step) => /^SCAN /.test(step) && !PARTS.test(step));
  expect(scans).toEqual([]);
});

it('reads no whole table for a quote or a license', async () => {
  const plans = await plansOf(async (store) => {
    await importAll(store, deliveries(0, 3));
    const client = someClient();
    await store.clients.create(client, BY);
    prepared.clear();
    const clock = new TestClock(1);
    await useLicensing({ store, clock }, client.id, [0, 1, 2].map(trackId));
  });
  expect(plans.length).toBeGreaterThan(40);
  const scans = plans.flat().filter((step) => /^SCAN /.test(step) && !PARTS.test(step));
  expect(scans.filter((step) => !LISTS.test(step))).toEqual([]);
});

it('finds the last creation before a change by the index of creations', async () => {
  const plans = await plansOf(async (store) => {
    await importAll(store, deliveries(0, 3));
    const context = { actor: BY, clientId: 'none', mode: 'test' } as const;
    await expect(store.savedSearches.see('none', 1, context)).rejects.toThrow('no saved search');
  });
  expect(plans).toContainEqual([
    'SEARCH change_log USING INDEX change_log_of_creations (kind=? AND seq<?)',
    'SEARCH tracks USING INDEX sqlite_autoindex_tracks_1 (id=?)',
  ]);
});

/** Returns the steps of the plan of each shared query that the calls prepare. */
async function plansOf(calls: (store: Store) => Promise<unknown>): Promise<string[][]> {
  const store = await openSqliteStore({ path: join(folder, 'stave.db'), clock: { now: () => 1 } });
  prepared.clear();
  const { prepareRows } = Database.prototype;
  vi.spyOn(Database.prototype, 'prepareRows').mockImplementation(function (this: Database, sql) {
    prepared.add(sql);
    return prepareRows.call(this, sql);
  });
  const { read } = SecondConnection.prototype;
  vi.spyOn(SecondConnection.prototype, 'read').mockImplementation(function (
    this: SecondConnection,
    query,
  ) {
    prepared.add(query.sql);
    return read.call(this, query);
  });
  await calls(store);
  const database = await Database.open(join(folder, 'stave.db'), 100);
  const plans = [...prepared].map((sql) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((row) => String(row.detail)),
  );
  database.close();
  await store.close();
  return plans;
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BY, delivery, importAll } from '../../../test/harness/deliveries.ts';
import { someClient } from '../../../test/harness/stores.ts';
import { newId } from '../../common/ids.ts';
import type { Store } from '../store.ts';
import { Database } from './database.ts';
import { openSqliteStore } from './open.ts';

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
    await store.catalog.setState(id, 'taken_down', BY);
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

/** Returns the steps of the plan of each shared query that the calls prepare. */
async function plansOf(calls: (store: Store) => Promise<unknown>): Promise<string[][]> {
  const store = await openSqliteStore({ path: join(folder, 'stave.db'), clock: { now: () => 1 } });
  const prepared = new Set<string>();
  const original = Database.prototype.prepareRows;
  vi.spyOn(Database.prototype, 'prepareRows').mockImplementation(function (this: Database, sql) {
    prepared.add(sql);
    return original.call(this, sql);
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

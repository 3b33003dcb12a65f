import { expect, it } from 'vitest';
import type { Store } from '../../src/storage/store.ts';
import { openStoreOf, serve, staveJson, temporaryFolder } from '../harness/cli.ts';
import { BY, deliveries, importAll } from '../harness/deliveries.ts';
import { allRows } from './reported-use.ts';

const COLLECTION = '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41';
const SAVED_SEARCH = '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c42';
const TABLES = ['collections', 'collection_tracks', 'collection_shares', 'saved_searches'];

/** Fills a data folder with a shared collection, of which a track was taken down, and a saved search with a new track. */
async function filled(data: string) {
  const terms = ['--scopes', 'saved-searches', '--features', 'saved-searches'];
  const create = (name: string) =>
    staveJson(data, ['clients', 'create', '--name', name, ...terms, '--account', 'Acme Group']);
  const [client, mate] = [await create('Acme'), await create('Mate')];
  const { clientId } = client;
  const me = { actor: `client:${clientId}`, clientId, mode: 'test' } as const;
  const store = await openStoreOf(data);
  const tracks = deliveries(0, 4);
  await importAll(store, tracks.slice(0, 3));
  const items = tracks
    .slice(0, 3)
    .map(({ id }, i) => ({ track: id, field: '', note: `note ${i}` }));
  await store.collections.create({ id: COLLECTION, name: 'C', description: 'D', items }, me);
  await store.collections.share(COLLECTION, mate.clientId, me);
  await store.catalog.setState(tracks[1]!.id, 'taken_down', BY);
  const search = { name: 'S', query: '{"query":"track"}', notify: true };
  await store.savedSearches.create({ id: SAVED_SEARCH, ...search }, me);
  await importAll(store, tracks.slice(3));
  return { store, client, mate };
}

async function listRows(store: Store) {
  const rows = await allRows(store);
  return Object.fromEntries(TABLES.map((name) => [name, rows[name]]));
}

it('a backup carries collections, their shares and saved searches', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  const { store, client, mate } = await filled(data);
  const rows = await listRows(store);
  expect(TABLES.map((name) => rows[name]!.length)).toEqual([1, 3, 1, 1]);
  await store.close();
  await staveJson(data, ['backup', folder.at('backup')]);
  const restored = folder.at('restored');
  await staveJson(restored, ['restore', folder.at('backup')]);
  const copy = await openStoreOf(restored);
  expect(await listRows(copy)).toEqual(rows);
  await copy.close();

  await using service = await serve(restored);
  const read = async ({ clientId, testSecret }: typeof client, path: string) =>
    (await service.get(path, await service.token(clientId, testSecret))).body.data;
  const shown = await read(client, `/v1/saved-searches/${SAVED_SEARCH}`);
  expect(shown).toMatchObject({ totalRecords: 3, newCount: 1 });
  const list = await read(mate, `/v1/collections/${COLLECTION}/tracks`);
  expect(list.items.map(({ note }: { note: string }) => note)).toEqual(['note 0', 'note 2']);
});

import type { Mode } from '../../src/access/client.ts';
import type { WriteContext } from '../../src/access/write-context.ts';
import type { GivenItem } from '../../src/catalog/collection.ts';
import { newSortableId } from '../../src/common/ids.ts';
import type { Store } from '../../src/storage/store.ts';
import { BY, deliveries, importAll } from '../harness/deliveries.ts';
import { type Harness, someClient, trackId } from '../harness/stores.ts';

/** Accepts every version. */
export const ANY = () => {};

export function asClient(clientId: string, mode: Mode = 'live'): WriteContext<never> {
  return { actor: `client:${clientId}`, clientId, mode };
}

export function items(...tracks: readonly string[]): GivenItem[] {
  return tracks.map((track, i) => ({ track, field: `items[${i}].track` }));
}

/** The tracks of these numbers. */
export const tracksOf = (...numbers: readonly number[]) => items(...numbers.map(trackId));

/** The ids of the tracks with their notes, in order. */
export async function listed(store: Store, id: string): Promise<string[]> {
  const { tracks } = await store.collections.record(id);
  return tracks.map(({ trackId: track, note }) => (note === '' ? track : `${track} ${note}`));
}

/** Adds a client of the account Acme, some tracks, and a function that creates collections. */
export async function withClient(harness: Harness, count = 5) {
  const { store, clock } = harness;
  const client = someClient({ account: 'Acme' });
  await store.clients.create(client, BY);
  await importAll(store, deliveries(0, count));
  const me = asClient(client.id);
  const create = (given: readonly GivenItem[] = [], by = me) => {
    const id = newSortableId(clock.now());
    return store.collections.create({ id, name: 'C', description: '', items: given }, by);
  };
  return { ...harness, client, me, create };
}

import type { Mode, WriteContext } from '../../src/common/caller.ts';
import { newSortableId } from '../../src/common/ids.ts';
import type { GivenItem } from '../../src/features/catalog/given-items.ts';
import type { Store } from '../../src/features/store.ts';
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

/** A link with this token, as the routes make it. */
export function linkTerms(token: string, now: number) {
  const by = { type: 'client', name: 'Acme' } as const;
  const terms = { label: '', password: null, streams: 'full', comments: true } as const;
  return { id: newSortableId(now), token, by, expiresAt: now + 86_400_000, ...terms };
}

/** Calls every method of the stores of links and guests. */
async function useLinks({ links, guests }: Store, collectionId: string, me: WriteContext<never>) {
  const terms = linkTerms('TokenOfALinkForAPlan00', Date.now());
  const { id: linkId } = await links.create(collectionId, terms, me);
  await links.list(collectionId, me, { offset: 0, limit: 9 });
  await links.find(collectionId, linkId, me);
  await links.ofClient(linkId, me);
  await links.update(collectionId, linkId, { label: 'A' }, ANY, me);
  await links.streamsOf(linkId);
  await links.add([{ linkId, opens: 1, plays: 1, lastOpenedAt: 1 }]);
  const link = (await links.live(terms.token))!;
  const guest = { guest: 'g', name: 'Ana', trackRowId: 1 };
  for (const vote of ['pass', 'approve', null] as const)
    await guests.vote(link, { ...guest, vote });
  await guests.comment(link, { ...guest, id: 'c', text: 'Hm' });
  await guests.about(link, [1, 2]);
  await guests.comments({ collectionId, linkId }, me, { offset: 0, limit: 9 });
  await guests.deleteComment({ collectionId, linkId, id: 'c' }, me);
  await links.end(collectionId, linkId, ANY, me);
  await links.endAll([linkId], 'test');
  await links.expire();
}

/** Calls every method of the stores of collections and saved searches. `mate` is in the account of the client. */
export async function useLists(store: Store, clientId: string, mate: string): Promise<void> {
  const { collections, collectionTracks, savedSearches } = store;
  const me = asClient(clientId);
  const user = { clientId, mode: 'live' } as const;
  const id = newSortableId(1);
  await collections.create({ id, name: 'C', description: '', items: tracksOf(0) }, me);
  await collectionTracks.add(id, { items: [...tracksOf(1), ...items('none')] }, me);
  await collectionTracks.add(id, { items: tracksOf(2), position: 1 }, me);
  await collectionTracks.editItem(id, trackId(2), { position: 3, note: 'n' }, ANY, me);
  await collectionTracks.remove(id, [trackId(1), 'none'], me);
  await collectionTracks.replace(id, tracksOf(2, 0), ANY, me);
  await collections.update(id, { name: 'D' }, ANY, me);
  await collections.share(id, mate, me);
  for (const shared of [undefined, true, false]) {
    await collections.list({ clientId: mate, mode: 'live' }, { shared, offset: 0, limit: 9 });
  }
  await collections.find(id, user);
  await collections.shares(id, user);
  await collections.ofClient(clientId);
  await collections.record(id);
  await collectionTracks.trackIds(id, user);
  await collectionTracks.items(id, user, [1, 2]);
  await collections.unshare(id, mate, me);
  await useLinks(store, id, me);
  await collections.delete(id, ANY, me);

  const search = { id, name: 's', query: '{}', notify: false };
  await savedSearches.create(search, me);
  await savedSearches.list(user, { offset: 0, limit: 9 });
  await savedSearches.find(id, user);
  await savedSearches.update(id, { name: 't', notify: true }, ANY, me);
  for (const seq of [undefined, 0, 1]) await savedSearches.see(id, seq, me);
  await savedSearches.ofClient(clientId);
  await savedSearches.delete(id, ANY, me);
}

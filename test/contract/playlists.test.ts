import { describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import type { Store } from '../../src/features/store.ts';
import type { TestClock } from '../harness/clock.ts';
import { BY, deliveries, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import {
  allChanges,
  expectNotFound,
  harnessOf,
  kindsAfter,
  someClient,
  trackId,
} from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';
import { until } from '../harness/until.ts';

function create(store: Store, clock: TestClock, name: string, trackIds: string[] = []) {
  const playlist = {
    id: newId(),
    name,
    description: `about ${name}`,
    createdAt: clock.now(),
    updatedAt: clock.now(),
  };
  return store.playlists.create(playlist, trackIds, BY);
}

for (const adapter of ADAPTERS) {
  describe(`playlists on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('keep their tracks in order, and are found by slug and id', async () => {
      const { store, clock } = await open();
      await importAll(store, deliveries(0, 5));
      const trackIds = [trackId(3), trackId(0), trackId(4)];
      const playlist = await create(store, clock, 'Night Drive', trackIds);
      expect(playlist.slug).toBe('night-drive');
      const found = { ...playlist, trackIds };
      expect(await store.playlists.find('night-drive')).toEqual(found);
      expect(await store.playlists.find(playlist.id.toUpperCase())).toEqual(found);
      expect(await store.playlists.find('other')).toBeUndefined();
      expect(await store.playlists.find(newId())).toBeUndefined();
    });

    it('get unique slugs with a number if necessary, which stay after a change of the name and are free after deletion', async () => {
      const { store, clock } = await open();
      await importAll(store, [{ ...deliveries(0, 1)[0]!, name: 'Mix' }]);
      const first = await create(store, clock, 'Mix');
      const second = await create(store, clock, 'Mix');
      const nameless = await create(store, clock, '???');
      expect([first.slug, second.slug]).toEqual(['mix', 'mix-2']);
      expect(nameless.slug).toBe(`playlist-${nameless.id.slice(0, 8)}`);
      expect((await store.playlists.update(first.id, { name: 'Other' }, BY)).slug).toBe('mix');
      await store.playlists.delete(first.id, BY);
      expect((await create(store, clock, 'Mix')).slug).toBe('mix');
    });

    it('refuse unknown and repeated tracks, and then change nothing', async () => {
      const { store, clock } = await open();
      await importAll(store, deliveries(0, 3));
      const { id } = await create(store, clock, 'P', [trackId(0)]);
      const head = await store.changes.head();
      await expect(store.playlists.setTracks(id, [trackId(1), newId()], BY)).rejects.toMatchObject({
        kind: 'not_found',
      });
      await expect(
        store.playlists.setTracks(id, [trackId(1), trackId(2), trackId(1)], BY),
      ).rejects.toMatchObject({ kind: 'conflict' });
      await expect(create(store, clock, 'Q', [newId()])).rejects.toMatchObject({
        kind: 'not_found',
      });
      await expect(store.playlists.setTracks(newId(), [], BY)).rejects.toMatchObject({
        kind: 'not_found',
      });
      expect((await store.playlists.find(id))!.trackIds).toEqual([trackId(0)]);
      expect(await store.changes.head()).toBe(head);
      expect(await store.playlists.list({})).toHaveLength(1);
    });

    it('change only in the given values, and log each change once', async () => {
      const { store, clock } = await open();
      await importAll(store, deliveries(0, 3));
      const { id } = await create(store, clock, 'P');
      const head = await store.changes.head();
      clock.advance(0.005);
      const updated = await store.playlists.update(id, { description: 'new' }, BY);
      expect(updated).toMatchObject({ name: 'P', description: 'new', updatedAt: clock.now() });
      clock.advance(0.005);
      await store.playlists.update(id, { name: 'P', description: 'new' }, BY);
      await store.playlists.setTracks(id, [], BY);
      expect((await store.playlists.find(id))!.updatedAt).toBe(clock.now() - 5);
      await store.playlists.setTracks(id, [trackId(2), trackId(1)], BY);
      expect((await store.playlists.find(id))!.updatedAt).toBe(clock.now());
      await store.playlists.setTracks(id, [trackId(1), trackId(2)], BY);
      await store.playlists.delete(id, BY);
      expect(await kindsAfter(store, head)).toEqual([
        'playlist.updated',
        'playlist.updated',
        'playlist.updated',
        'playlist.deleted',
      ]);
      await expectNotFound(
        store.playlists.update(id, { name: 'x' }, BY),
        store.playlists.delete(id, BY),
      );
    });

    it('replace a list only if it equals the expected one, so that no edit is lost', async () => {
      const { store, clock, another } = await open();
      await importAll(store, deliveries(0, 12));
      const { id } = await create(store, clock, 'P', [trackId(0)]);
      const head = await store.changes.head();
      expect(await store.playlists.setTracks(id, [trackId(1)], BY, [trackId(2)])).toBe(false);
      expect(await store.playlists.setTracks(id, [trackId(1)], BY, [])).toBe(false);
      expect(await store.changes.head()).toBe(head);
      expect(await store.playlists.setTracks(id, [trackId(1)], BY, [trackId(0)])).toBe(true);
      const stores = [store, await another()];
      await Promise.all(
        Array.from({ length: 10 }, async (_, i) => {
          const { playlists } = stores[i % 2]!;
          await until(async () => {
            const { trackIds } = (await playlists.find(id))!;
            return playlists.setTracks(id, [...trackIds, trackId(2 + i)], BY, trackIds);
          }, 'the edit to be accepted');
        }),
      );
      expect((await store.playlists.find(id))!.trackIds.toSorted()).toEqual(
        Array.from({ length: 11 }, (_, i) => trackId(1 + i)).toSorted(),
      );
    });

    it('count live tracks only, and keep the place of a track that was taken down', async () => {
      const { store, clock } = await open();
      await importAll(store, deliveries(0, 3));
      const trackIds = [trackId(0), trackId(1), trackId(2)];
      const { id } = await create(store, clock, 'P', trackIds);
      await create(store, clock, 'Empty');
      const seconds = deliveries(0, 3).map((one) => one.durationSeconds);
      await setTrackState(store, trackId(1), 'taken_down', BY);
      expect((await store.playlists.names()).map(({ id }) => id)).toEqual(
        (await store.playlists.list({})).map(({ id }) => id),
      );
      expect(await store.playlists.list({})).toMatchObject([
        { name: 'Empty', trackCount: 0, durationSeconds: 0 },
        { name: 'P', trackCount: 2, durationSeconds: seconds[0]! + seconds[2]! },
      ]);
      expect((await store.playlists.find(id))!.trackIds).toEqual(trackIds);
      await setTrackState(store, trackId(1), 'live', BY);
      expect((await store.playlists.list({}))[1]!.trackCount).toBe(3);
    });

    it('are granted and revoked once, and granted ones are listed by name', async () => {
      const { store, clock } = await open();
      const [anna, ben] = [someClient(), someClient({ createdAt: Date.UTC(2027, 0, 1) })];
      await store.clients.create(anna, BY);
      await store.clients.create(ben, BY);
      const b = await create(store, clock, 'B');
      const a = await create(store, clock, 'A');
      const head = await store.changes.head();
      expect(await store.playlists.grant(b.id, anna.id, BY)).toBe(true);
      expect(await store.playlists.grant(b.id, anna.id, BY)).toBe(false);
      expect(await store.playlists.grant(a.id, anna.id, BY)).toBe(true);
      expect(await store.playlists.grant(b.id, ben.id, BY)).toBe(true);
      expect(await store.playlists.grantsOf(b.id)).toEqual([anna.id, ben.id]);
      const names = async (clientId: string) =>
        (await store.playlists.list({ clientId })).map(({ name }) => name);
      expect(await names(anna.id)).toEqual(['A', 'B']);
      expect(await names(ben.id)).toEqual(['B']);
      expect(await names(newId())).toEqual([]);
      expect((await store.clients.get(anna.id))!.playlistIds.sort()).toEqual([a.id, b.id].sort());
      expect(await store.playlists.revoke(b.id, anna.id, BY)).toBe(true);
      expect(await store.playlists.revoke(b.id, anna.id, BY)).toBe(false);
      expect(await names(anna.id)).toEqual(['A']);
      expect(await kindsAfter(store, head)).toEqual([
        'playlist.granted',
        'playlist.granted',
        'playlist.granted',
        'playlist.revoked',
      ]);
      await expectNotFound(
        store.playlists.grant(newId(), anna.id, BY),
        store.playlists.grant(a.id, newId(), BY),
        store.playlists.revoke(a.id, newId(), BY),
        store.playlists.grantsOf(newId()),
      );
    });

    it('are logged with the clients that got them or lost them', async () => {
      const { store, clock } = await open();
      const { id } = await create(store, clock, 'A');
      const anna = someClient();
      await store.clients.create(anna, BY);
      await store.playlists.grant(id, anna.id, BY);
      const ben = someClient({ createdAt: Date.UTC(2027, 0, 1) });
      await store.clients.create(ben, BY);
      await store.playlists.grant(id, ben.id, BY);
      await store.playlists.revoke(id, ben.id, BY);
      await store.playlists.grant(id, ben.id, BY);
      await store.playlists.delete(id, BY);
      const changes = (await allChanges(store)).filter(({ entity }) => entity === 'playlist');
      expect(changes.map(({ kind, changed }) => [kind, changed])).toEqual([
        ['created', null],
        ['granted', [anna.id]],
        ['granted', [ben.id]],
        ['revoked', [ben.id]],
        ['granted', [ben.id]],
        ['deleted', [anna.id, ben.id]],
      ]);
    });

    it('have the same summary for a client as in its list', async () => {
      const { store, clock } = await open();
      await importAll(store, deliveries(0, 3));
      const anna = someClient();
      await store.clients.create(anna, BY);
      const { id, slug } = await create(store, clock, 'Mine', [0, 1, 2].map(trackId));
      const empty = await create(store, clock, 'Empty');
      expect(await store.playlists.summary(slug, anna.id)).toBeUndefined();
      await store.playlists.grant(id, anna.id, BY);
      await store.playlists.grant(empty.id, anna.id, BY);
      await setTrackState(store, trackId(1), 'taken_down', BY);
      const [listedEmpty, listed] = await store.playlists.list({ clientId: anna.id });
      expect(listed!.trackCount).toBe(2);
      expect(await store.playlists.summary(slug, anna.id)).toEqual(listed);
      expect(await store.playlists.summary(id.toUpperCase(), anna.id)).toEqual(listed);
      expect(await store.playlists.summary('empty', anna.id)).toEqual(listedEmpty);
      for (const name of ['none', newId()]) {
        expect(await store.playlists.summary(name, anna.id)).toBeUndefined();
      }
      expect(await store.playlists.summary(slug, newId())).toBeUndefined();
    });

    it('are found for a client only while they are granted to it', async () => {
      const { store, clock } = await open();
      await importAll(store, deliveries(0, 2));
      const [anna, ben] = [someClient(), someClient()];
      await store.clients.create(anna, BY);
      await store.clients.create(ben, BY);
      const mine = await create(store, clock, 'Mine', [trackId(1), trackId(0)]);
      const theirs = await create(store, clock, 'Theirs', [trackId(0)]);
      await store.playlists.grant(mine.id, anna.id, BY);
      await store.playlists.grant(theirs.id, ben.id, BY);
      const found = { ...mine, trackIds: [trackId(1), trackId(0)] };
      expect(await store.playlists.find('mine', anna.id)).toEqual(found);
      expect(await store.playlists.find(mine.id.toUpperCase(), anna.id)).toEqual(found);
      for (const unseen of ['theirs', theirs.id, 'none', newId(), '', "' OR 1=1 --"]) {
        expect(await store.playlists.find(unseen, anna.id)).toBeUndefined();
      }
      expect(await store.playlists.find('mine', newId())).toBeUndefined();
      await store.playlists.revoke(mine.id, anna.id, BY);
      expect(await store.playlists.find('mine', anna.id)).toBeUndefined();
      expect(await store.playlists.find(mine.id, anna.id)).toBeUndefined();
    });

    it('lose a grant when the client or the playlist is deleted', async () => {
      const { store, clock } = await open();
      const client = someClient();
      await store.clients.create(client, BY);
      const [a, b] = [await create(store, clock, 'A'), await create(store, clock, 'B')];
      await store.playlists.grant(a.id, client.id, BY);
      await store.playlists.grant(b.id, client.id, BY);
      await store.playlists.delete(a.id, BY);
      expect((await store.clients.get(client.id))!.playlistIds).toEqual([b.id]);
      await store.clients.delete(client.id, BY);
      expect(await store.playlists.grantsOf(b.id)).toEqual([]);
    });
  });
}

import { describe, expect, it } from 'vitest';
import { BY } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { allChanges, expectNotFound, harnessOf, someClient, trackId } from '../harness/stores.ts';
import { ANY, asClient, listed, tracksOf, withClient } from './collections-support.ts';

for (const adapter of ADAPTERS) {
  describe(`shares of collections on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const start = async () => withClient(await open());

    it('belong to one client and mode', async () => {
      const { store, client, me, create } = await start();
      const other = someClient({ account: 'Acme' });
      const mate = someClient({ account: 'Acme' });
      for (const one of [other, mate]) await store.clients.create(one, BY);
      const { id } = await create(tracksOf(0));
      for (const by of [asClient(other.id), asClient(client.id, 'test')]) {
        await expectNotFound(
          store.collections.find(id, by),
          store.collections.update(id, { name: 'x' }, ANY, by),
          store.collections.delete(id, ANY, by),
          store.collections.share(id, mate.id, by),
          store.collections.unshare(id, mate.id, by),
          store.collections.shares(id, by),
          store.collectionTracks.trackIds(id, by),
          store.collectionTracks.items(id, by, []),
          store.collectionTracks.add(id, { items: tracksOf(1) }, by),
          store.collectionTracks.remove(id, [trackId(0)], by),
          store.collectionTracks.replace(id, [], ANY, by),
          store.collectionTracks.editItem(id, trackId(0), { note: 'x' }, ANY, by),
        );
        expect(await store.collections.list(by, { offset: 0, limit: 10 })).toEqual({
          collections: [],
          total: 0,
        });
      }
      expect(await listed(store, id)).toEqual([trackId(0)]);
      expect(await store.collections.find(id, me)).toMatchObject({ version: 1 });
    });

    it('are shared within an account, for reading only', async () => {
      const { store, client, me, create, clock } = await start();
      const mate = someClient({ account: 'Acme', name: 'Mate' });
      const stranger = someClient({ account: 'Other' });
      const alone = someClient({ account: null });
      for (const one of [mate, stranger, alone]) await store.clients.create(one, BY);
      const { id } = await create(tracksOf(0));
      const head = await store.changes.head();
      const share = (clientId: string) => store.collections.share(id, clientId, me);
      await expectNotFound(share(stranger.id), share(alone.id), share('nobody'));
      const withMyself = { kind: 'invalid_request' };
      await expect(share(client.id)).rejects.toMatchObject(withMyself);
      const unknown = store.collections.share(trackId(0), client.id, me);
      await expect(unknown).rejects.toMatchObject(withMyself);
      await share(mate.id);
      await share(mate.id);
      const [change, ...rest] = (await allChanges(store)).filter(({ seq }) => seq > head);
      expect(change).toMatchObject({ kind: 'shared', entityId: id, changed: [mate.id] });
      expect(rest).toEqual([]);

      expect(await store.collections.find(id, me)).toMatchObject({ sharedWith: 1, version: 1 });
      expect(await store.collections.shares(id, me)).toEqual([
        { clientId: mate.id, name: 'Mate', canRead: true },
      ]);
      const reader = asClient(mate.id);
      expect(await store.collections.find(id, reader)).toMatchObject({
        isOwner: false,
        sharedWith: 0,
        trackCount: 1,
      });
      expect(await store.collectionTracks.trackIds(id, reader)).toEqual([trackId(0)]);
      await expectNotFound(
        store.collections.find(id, asClient(mate.id, 'test')),
        store.collections.shares(id, reader),
        store.collections.update(id, { name: 'x' }, ANY, reader),
        store.collectionTracks.remove(id, [trackId(0)], reader),
      );
      clock.advance(1);
      const own = await create([], reader);
      const list = async (shared?: boolean) =>
        (await store.collections.list(reader, { shared, offset: 0, limit: 10 })).collections.map(
          (one) => one.id,
        );
      expect(await list()).toEqual([own.id, id]);
      expect(await list(true)).toEqual([id]);
      expect(await list(false)).toEqual([own.id]);

      // The share counts only while both are in one account.
      await store.clients.update(mate.id, { account: 'Other' }, BY);
      const moved = await store.changes.head();
      await expectNotFound(
        store.collections.find(id, reader),
        share(mate.id),
        store.collections.unshare(id, stranger.id, me),
        store.collections.unshare(id, 'nobody', me),
      );
      expect(await store.changes.head()).toBe(moved);
      expect(await store.collections.find(id, me)).toMatchObject({ sharedWith: 0 });
      await store.clients.update(mate.id, { account: 'Acme' }, BY);
      await store.collections.delete(id, ANY, me);
      expect((await allChanges(store)).at(-1)).toMatchObject({
        kind: 'deleted',
        changed: [mate.id],
      });
      await expectNotFound(store.collections.find(id, reader));
    });

    it('are listed, and can be revoked, after their client has left the account', async () => {
      const { store, me, create } = await start();
      const [zoe, ann, gone] = ['Zoe', 'Ann', 'Bea'].map((name) =>
        someClient({ account: 'Acme', name }),
      );
      const stranger = someClient({ account: 'Other' });
      for (const one of [zoe!, ann!, gone!, stranger]) await store.clients.create(one, BY);
      const { id } = await create(tracksOf(0));
      for (const one of [zoe!, ann!, gone!]) await store.collections.share(id, one.id, me);

      const left = { clientId: gone!.id, name: null, canRead: false };
      for (const account of ['Other', null]) {
        await store.clients.update(gone!.id, { account, name: 'Secret project' }, BY);
        expect(await store.collections.shares(id, me)).toEqual([
          { clientId: ann!.id, name: 'Ann', canRead: true },
          { clientId: zoe!.id, name: 'Zoe', canRead: true },
          left,
        ]);
        expect(await store.collections.find(id, me)).toMatchObject({ sharedWith: 2 });
      }
      await store.collections.unshare(id, gone!.id, me);
      expect((await allChanges(store)).at(-1)).toMatchObject({
        kind: 'unshared',
        entityId: id,
        changed: [gone!.id],
      });
      await expectNotFound(
        store.collections.unshare(id, gone!.id, me),
        store.collections.unshare(id, stranger.id, me),
      );
      await store.clients.update(gone!.id, { account: 'Acme' }, BY);
      await expectNotFound(store.collections.find(id, asClient(gone!.id)));
      expect(await store.collections.shares(id, me)).toHaveLength(2);
    });

    it('end with their client, which is logged for each collection', async () => {
      const { store, client, me, create } = await start();
      const mate = someClient({ account: 'Acme' });
      await store.clients.create(mate, BY);
      const { id } = await create(tracksOf(0));
      await store.collections.share(id, mate.id, me);
      const other = await create([], asClient(client.id, 'test'));
      const head = await store.changes.head();
      expect(await store.clients.delete(client.id, BY)).toBe(true);
      const changes = (await allChanges(store)).filter(({ seq }) => seq > head);
      const deleted = { by: BY, clientId: client.id, entity: 'collection', kind: 'deleted' };
      expect(changes).toMatchObject([
        { ...deleted, entityId: id, mode: me.mode, changed: [mate.id] },
        { ...deleted, entityId: other.id, mode: 'test', changed: [] },
        { entity: 'client', kind: 'deleted', entityId: client.id },
      ]);
      await expectNotFound(store.collections.find(id, asClient(mate.id)));
    });
  });
}

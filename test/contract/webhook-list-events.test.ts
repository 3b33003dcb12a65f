import { describe, expect, it } from 'vitest';
import type { EventType } from '../../src/features/webhooks/webhook.ts';
import { BY, deliveries, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, someClient, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';
import { ANY, asClient, tracksOf } from './collections-support.ts';
import { brokenLinks, withFanOut } from './webhook-fan-out-support.ts';

for (const adapter of ADAPTERS) {
  describe(`messages about lists on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const start = async () => {
      const harness = await withFanOut(await open());
      await importAll(harness.store, deliveries(0, 3));
      return harness;
    };

    it('tell of playlists that a client has, got or lost', async () => {
      const { store, client, create, run, sent } = await start();
      const eventTypes = ['playlist.updated', 'playlist.granted', 'playlist.revoked'] as const;
      const { id } = await create({ eventTypes: [...eventTypes] });
      const other = someClient();
      await store.clients.create(other, BY);
      const playlistOf = async (n: number) => {
        const given = { id: trackId(n), name: 'P', description: '', createdAt: 1, updatedAt: 1 };
        return (await store.playlists.create(given, [], BY)).id;
      };
      const [own, foreign] = [await playlistOf(50), await playlistOf(51)];
      for (const [playlist, { id: clientId }] of [
        [own, client],
        [foreign, other],
      ] as const) {
        await store.playlists.grant(playlist, clientId, BY);
        await store.playlists.setTracks(playlist, [trackId(0)], BY);
        await store.playlists.update(playlist, { name: 'Q' }, BY);
        await run();
        await store.playlists.revoke(playlist, clientId, BY);
        await store.playlists.grant(playlist, clientId, BY);
        await store.playlists.delete(playlist, BY);
      }
      await run();
      const messages = await sent(id);
      expect(messages.map(({ type }) => type)).toEqual([
        'playlist.granted',
        'playlist.updated',
        'playlist.updated',
        'playlist.revoked',
        'playlist.granted',
        'playlist.revoked',
      ]);
      expect(messages.every(({ data }) => data.playlistId === own)).toBe(true);
      expect(Object.keys(messages[0]!.data)).toEqual(['mode', 'seq', 'previousSeq', 'playlistId']);
      for (const type of eventTypes) {
        const chain = messages.filter((message) => message.type === type);
        expect(brokenLinks(chain, 0)).toEqual([]);
      }
    });

    it('tell the owner and the readers of a collection, each collection in its own chain', async () => {
      const { store, client, me, create, run, sent } = await start();
      const reader = someClient({ account: 'Acme', features: client.features });
      await store.clients.create(reader, BY);
      const mine = await create({ eventTypes: ['collection.updated'] });
      const asReader = asClient(reader.id);
      const theirs = await create({ eventTypes: ['collection.updated'] }, asReader);
      const test = asClient(client.id, 'test');
      const inTest = await create({ eventTypes: ['collection.updated'] }, test);
      const collectionOf = async (n: number) => {
        const id = trackId(n);
        await store.collections.create({ id, name: 'C', description: '', items: [] }, me);
        return id;
      };
      const [a, b] = [await collectionOf(60), await collectionOf(61)];
      const created = (await store.changes.head()) - 1;
      await run();
      await store.collections.share(a, reader.id, me);
      await store.collectionTracks.add(a, { items: tracksOf(0) }, me);
      await store.collections.update(b, { name: 'D' }, ANY, me);
      await run();
      await setTrackState(store, trackId(0), 'taken_down', BY);
      await setTrackState(store, trackId(0), 'live', BY);
      await run();
      await store.collections.unshare(a, reader.id, me);
      await store.collections.delete(b, ANY, me);
      await run();
      const changesOf = async (webhookId: string, collectionId: string, user = me) => {
        const chain = (await sent(webhookId, user)).filter(
          ({ data }) => data.collectionId === collectionId,
        );
        expect(brokenLinks(chain, created - (collectionId === a ? 1 : 0))).toEqual([]);
        return chain.map(({ data }) => `${data.change} ${data.version}`);
      };
      const shared = ['taken_down 2', 'restored 2', 'unshared 2'];
      expect(await changesOf(mine.id, a)).toEqual([
        'created 1',
        'shared 2',
        'updated 2',
        ...shared,
      ]);
      expect(await changesOf(mine.id, b)).toEqual(['created 1', 'updated 2', 'deleted null']);
      expect(await changesOf(theirs.id, a, asReader)).toEqual(['shared 2', 'updated 2', ...shared]);
      expect(await changesOf(theirs.id, b, asReader)).toEqual([]);
      expect(await sent(inTest.id, test)).toEqual([]);
    });

    it('do not tell a client of shares that it had before it left the account', async () => {
      const { store, client, me, create, run, sent } = await start();
      const reader = someClient({ account: 'Acme', features: client.features });
      await store.clients.create(reader, BY);
      const asReader = asClient(reader.id);
      const mine = await create({ eventTypes: ['collection.updated'] });
      const theirs = await create({ eventTypes: ['collection.updated'] }, asReader);
      const id = trackId(60);
      await store.collections.create({ id, name: 'C', description: '', items: [] }, me);
      await run();
      await store.collections.share(id, reader.id, me);
      await run();
      await store.collections.unshare(id, reader.id, me);
      await store.collections.share(id, reader.id, me);
      await store.clients.update(reader.id, { account: 'Other' }, BY);
      await run();
      const changesOf = async (webhookId: string, user = me) =>
        (await sent(webhookId, user)).map(({ data }) => data.change);
      expect(await changesOf(mine.id)).toEqual(['created', 'shared', 'unshared', 'shared']);
      expect(await changesOf(theirs.id, asReader)).toEqual(['shared']);
    });

    it('end with a deleted collection, whose chains are forgotten then', async () => {
      const { store, client, me, create, run, sent } = await start();
      const reader = someClient({ account: 'Acme', features: client.features });
      await store.clients.create(reader, BY);
      const mine = await create({ eventTypes: ['collection.updated'] });
      await create({ eventTypes: ['collection.updated'] }, asClient(reader.id));
      const [deleted, kept] = [trackId(60), trackId(61)];
      for (const id of [deleted, kept]) {
        await store.collections.create({ id, name: 'C', description: '', items: [] }, me);
        await store.collections.share(id, reader.id, me);
      }
      await store.collections.unshare(deleted, reader.id, me);
      await run();
      const subscribers = await store.webhookFanOut.subscribers();
      const chains = async (subject: string) => {
        await store.webhookFanOut.forgetEndedChains();
        const type = 'collection.updated' as const;
        const keys = subscribers.map(({ rowId }) => ({ webhookRowId: rowId, type, subject }));
        return (await store.webhookFanOut.subjectChains(keys)).filter((seq) => seq !== undefined);
      };
      await store.collections.delete(deleted, ANY, me);
      // The message about the deletion names the one before.
      expect(await chains(deleted)).toHaveLength(2);
      await run();
      expect(await chains(deleted)).toEqual([]);
      expect(await chains(kept)).toHaveLength(2);
      const ofDeleted = (await sent(mine.id)).filter(({ data }) => data.collectionId === deleted);
      expect(ofDeleted.at(-1)!.data.change).toBe('deleted');
      expect(brokenLinks(ofDeleted, ofDeleted[0]!.data.previousSeq)).toEqual([]);
    });

    it('tell of a share only the owner and the client that it is for', async () => {
      const { store, client, me, create, run, sent } = await start();
      const eventTypes: EventType[] = ['collection.updated'];
      const readerOf = async () => {
        const reader = someClient({ account: 'Acme', features: client.features });
        await store.clients.create(reader, BY);
        const webhook = await create({ eventTypes }, asClient(reader.id));
        return { id: reader.id, webhookId: webhook.id };
      };
      const [first, second] = [await readerOf(), await readerOf()];
      const mine = await create({ eventTypes });
      const id = trackId(60);
      await store.collections.create({ id, name: 'C', description: '', items: [] }, me);
      await run();
      for (const reader of [first, second]) await store.collections.share(id, reader.id, me);
      await run();
      await store.collections.update(id, { name: 'D' }, ANY, me);
      await run();
      await store.collections.unshare(id, second.id, me);
      await run();
      const changes = async (webhookId: string, clientId = client.id) =>
        (await sent(webhookId, asClient(clientId))).map(({ data }) => data.change);
      const all = ['created', 'shared', 'shared', 'updated', 'unshared'];
      expect(await changes(mine.id)).toEqual(all);
      expect(await changes(first.webhookId, first.id)).toEqual(['shared', 'updated']);
      const ended = ['shared', 'updated', 'unshared'];
      expect(await changes(second.webhookId, second.id)).toEqual(ended);
    });

    it('continue the chains of collections from before the registration with 0', async () => {
      const { store, me, create, run, sent } = await start();
      const id = trackId(60);
      await store.collections.create({ id, name: 'C', description: '', items: [] }, me);
      const webhook = await create({ eventTypes: ['collection.updated'] });
      await store.collections.update(id, { name: 'D' }, ANY, me);
      await run();
      expect((await sent(webhook.id)).map(({ data }) => data.previousSeq)).toEqual([0]);
    });
  });
}

import { describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import type { Store } from '../../src/features/store.ts';
import { BY, deliveries, importAll } from '../harness/deliveries.ts';
import { cardText } from '../harness/rate-cards.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, kindsAfter, numbersOf, someClient, trackId } from '../harness/stores.ts';
import { withWebhooks } from './webhooks-support.ts';

const stale = (entity: string, entityId: string) => ({
  kind: 'conflict',
  message: expect.stringMatching(/^The [a-z ]+ was changed meanwhile, so nothing was saved\.$/),
  changed: { entity, entityId },
});

for (const adapter of ADAPTERS) {
  describe(`writes of what has not changed since, on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are refused with nothing changed if the same client was changed, and only then', async () => {
      const { store } = await open();
      const [changed, other] = [someClient(), someClient()];
      for (const client of [changed, other]) await store.clients.create(client, BY);
      const seq = await store.changes.head();
      await store.clients.update(changed.id, { scopes: ['tracks'] }, BY);
      const head = await store.changes.head();
      const { clients } = store.unchangedSince(seq);
      const give = () => clients.update(changed.id, { name: 'New', scopes: ['search'] }, BY);
      await expect(give()).rejects.toMatchObject(stale('client', changed.id));
      expect(await store.clients.get(changed.id)).toMatchObject({
        ...{ name: 'Partner', scopes: ['tracks'] },
      });
      expect(await kindsAfter(store, head)).toEqual([]);
      await clients.update(other.id, { name: 'Other' }, BY);
      await store.unchangedSince(head).clients.update(changed.id, { name: 'New' }, BY);
      expect(await kindsAfter(store, head)).toEqual(['client.updated', 'client.updated']);
    });

    it('are refused also if the change was taken back', async () => {
      const { store } = await open();
      const { id } = someClient();
      await store.clients.create(someClient({ id, enabled: false }), BY);
      const { clients } = store.unchangedSince(await store.changes.head());
      for (const enabled of [true, false]) await store.clients.update(id, { enabled }, BY);
      const enable = clients.update(id, { enabled: true }, BY);
      await expect(enable).rejects.toMatchObject(stale('client', id));
    });

    it('that nodes make at once succeed once for each version', async () => {
      const { store, another } = await open();
      const { id } = someClient();
      await store.clients.create(someClient({ id }), BY);
      const nodes = [store, await another()];
      for (let round = 0; round < 3; round++) {
        const seq = await store.changes.head();
        const writes = await Promise.allSettled(
          Array.from({ length: 8 }, (_, i) =>
            nodes[i % 2]!.unchangedSince(seq).clients.update(id, { name: `${round}-${i}` }, BY),
          ),
        );
        expect(writes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        const refused = writes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
        for (const reason of refused) expect(reason).toMatchObject(stale('client', id));
      }
    });

    it('compare a playlist with its tracks and grants', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 2));
      const client = someClient();
      await store.clients.create(client, BY);
      const id = newId();
      const made = { id, name: 'Set', description: '', createdAt: 1, updatedAt: 1 };
      await store.playlists.create(made, [trackId(0)], BY);
      const writes: ((on: Pick<Store, 'playlists'>) => Promise<unknown>)[] = [
        ({ playlists }) => playlists.setTracks(id, [trackId(1)], BY),
        ({ playlists }) => playlists.grant(id, client.id, BY),
        ({ playlists }) => playlists.update(id, { name: 'Mix' }, BY),
        ({ playlists }) => playlists.delete(id, BY),
      ];
      let seq = await store.changes.head();
      await store.playlists.setTracks(id, [trackId(0), trackId(1)], BY);
      for (const write of writes) {
        await expect(write(store.unchangedSince(seq))).rejects.toMatchObject(stale('playlist', id));
        seq = await store.changes.head();
        await write(store.unchangedSince(seq));
      }
    });

    it('compare all versions of a rate card, and no other card', async () => {
      const { store } = await open();
      const publish = (on: Pick<Store, 'rateCards'>, name: string) =>
        on.rateCards.publish({ name, document: cardText({ name }) }, BY);
      await publish(store, 'games');
      const shown = store.unchangedSince(await store.changes.head());
      await publish(store, 'games');
      await expect(publish(shown, 'games')).rejects.toMatchObject(stale('rate_card', 'games@2'));
      const withdraw = shown.rateCards.withdraw('games', 1, BY);
      await expect(withdraw).rejects.toMatchObject(stale('rate_card', 'games@2'));
      expect(await store.rateCards.list()).toHaveLength(2);
      expect(await publish(shown, 'game')).toBe(1);
    });

    it('compare webhooks, also with what their partners change', async () => {
      const { store, create, me } = await withWebhooks(await open());
      const { id } = await create({});
      await store.webhooks.setEnabled(id, false, BY);
      const shown = store.unchangedSince(await store.changes.head());
      await store.webhooks.update(id, { url: 'https://b.example' }, () => {}, me);
      const enable = shown.webhooks.setEnabled(id, true, BY);
      await expect(enable).rejects.toMatchObject(stale('webhook', id));
      expect((await store.webhooks.record(id)).enabled).toBe(false);
    });

    it('of states of tracks are refused after a takedown, and not after an import', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 2));
      const rowIds = await numbersOf(store, [trackId(0)]);
      const set = (on: Pick<Store, 'trackFinder'>, state: 'live' | 'taken_down') =>
        on.trackFinder.setStates(rowIds, { state, reason: null, reference: null }, BY);
      await set(store, 'taken_down');
      const stalePage = store.unchangedSince(await store.changes.head());
      await set(store, 'live');
      await set(store, 'taken_down');
      await expect(set(stalePage, 'live')).rejects.toMatchObject(stale('track', trackId(0)));
      const seq = await store.changes.head();
      await importAll(store, [{ ...deliveries(0, 1)[0]!, name: 'Renamed' }]);
      expect(await kindsAfter(store, seq)).toEqual(['track.updated']);
      expect(await set(store.unchangedSince(seq), 'live')).toHaveLength(1);
    });
  });
}

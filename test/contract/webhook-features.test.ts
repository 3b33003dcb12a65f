import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/features/access/client.ts';
import { BY } from '../harness/deliveries.ts';
import { openDatabase } from '../harness/sql-databases.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';
import { asClient } from './collections-support.ts';
import { withFanOut } from './webhook-fan-out-support.ts';

const ALL = { offset: 0, limit: 100 };
const CLAIM = { limit: 100, ms: 1 };

for (const adapter of ADAPTERS) {
  describe(`messages of types whose feature is off on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    /** Makes a message about a collection, which needs a feature of its own, a ping and a simulated message. */
    const start = async () => {
      const harness = await withFanOut(await open());
      const { store, clock, client, run } = harness;
      const me = asClient(client.id, 'test');
      const { id } = await harness.create({ eventTypes: ['collection.updated'] }, me);
      const given = { id: trackId(60), name: 'C', description: '', items: [] };
      await store.collections.create(given, me);
      await run();
      const deliveries = store.webhookDeliveries;
      const [reported] = (await deliveries.list(id, me, ALL)).deliveries;
      await deliveries.ping(id, me);
      await deliveries.simulate(id, { type: 'collection.updated', trackId: id }, me);
      const claimed = async () => {
        const [endpoint] = await store.webhookSending.dueEndpoints(clock.now());
        if (endpoint === undefined) return [];
        const messages = await store.webhookSending.claim(endpoint.rowId, clock.now(), CLAIM);
        return messages.map((message) => message.id).sort();
      };
      return { ...harness, me, id, deliveries, reported: reported!.id, claimed };
    };

    it('are not sent, but pings and simulated ones are', async () => {
      const { location, clock, client, id, me, deliveries, reported, claimed } = await start();
      const all = (await deliveries.list(id, me, ALL)).deliveries.map((one) => one.id).sort();
      expect(await claimed()).toEqual(all);
      clock.advance(1);
      // As a client whose feature was switched off a moment ago, before its messages are discarded.
      await using database = await openDatabase(adapter, location, clock);
      const become = (columns: { features?: string; enabled?: boolean }) =>
        database.sql.write(({ queries }) =>
          queries.updateTable('clients').set(columns).where('id', '=', client.id).execute(),
        );
      await become({ features: JSON.stringify(['webhooks', 'changes']) });
      expect(await claimed()).toEqual(all.filter((one) => one !== reported));
      clock.advance(1);
      await become({ features: JSON.stringify(['changes', 'saved-searches']) });
      expect(await claimed()).toEqual([]);
    });

    it('are not claimed for an endpoint whose client was disabled since it was read', async () => {
      const { store, location, clock, client } = await start();
      const [endpoint] = await store.webhookSending.dueEndpoints(clock.now());
      await using database = await openDatabase(adapter, location, clock);
      await database.sql.write(({ queries }) =>
        queries
          .updateTable('clients')
          .set({ enabled: false })
          .where('id', '=', client.id)
          .execute(),
      );
      const claimed = await store.webhookSending.claim(endpoint!.rowId, clock.now(), CLAIM);
      expect(claimed).toEqual([]);
    });

    it('are not replayed', async () => {
      const { store, client, id, me, deliveries, reported } = await start();
      await store.clients.update(client.id, { features: ['webhooks'] }, BY);
      await expect(deliveries.replay(id, reported, me)).rejects.toMatchObject({ kind: 'conflict' });
      const request = { from: 0, status: 'all' } as const;
      expect(await deliveries.replayBetween(id, request, me)).toEqual({ count: 0 });
      await store.clients.update(client.id, { features: client.features }, BY);
      expect(await deliveries.replay(id, reported, me)).toEqual({ deliveryId: reported });
    });

    it.each<[string, Partial<Client>]>([
      ['is disabled', { enabled: false }],
      ['has no webhooks', { features: [] }],
    ])('and those of a client that %s are not replayed, and none are added', async (_, change) => {
      const { store, client, id, deliveries, reported } = await start();
      await store.clients.update(client.id, change, BY);
      const refused = { kind: 'conflict', message: expect.stringContaining('The client of') };
      await expect(deliveries.ping(id, 'operator')).rejects.toMatchObject(refused);
      await expect(deliveries.replay(id, reported, 'operator')).rejects.toMatchObject(refused);
      const request = { from: 0, status: 'all' } as const;
      await expect(deliveries.replayBetween(id, request, 'operator')).rejects.toMatchObject(
        refused,
      );
    });
  });
}

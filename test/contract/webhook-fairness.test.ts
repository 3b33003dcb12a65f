import { describe, expect, it } from 'vitest';
import { MAX_WEBHOOKS } from '../../src/features/webhooks/webhook.ts';
import { BY } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, someClient } from '../harness/stores.ts';
import { until } from '../harness/until.ts';
import { asClient } from './collections-support.ts';
import { startReceiver, startSender } from './webhook-receiver-support.ts';
import { withWebhooks } from './webhooks-support.ts';

for (const adapter of ADAPTERS) {
  describe(`the places of requests on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are not all taken by the slow endpoints of one client', async () => {
      const { promise: never } = Promise.withResolvers<number>();
      const slow = new Set<string>();
      // The first message to each endpoint succeeds.
      const receiver = await startReceiver(({ path }) => {
        if (path.endsWith('/other') || !slow.has(path)) {
          slow.add(path);
          return { status: 204 };
        }
        return { release: never };
      });
      const { store, clock, client, create } = await withWebhooks(await open());
      const deliveries = store.webhookDeliveries;
      for (const mode of ['test', 'live'] as const) {
        const by = asClient(client.id, mode);
        for (let n = 0; n < MAX_WEBHOOKS; n++) {
          const { id } = await create({ url: `${receiver.url}/${mode}${n}` }, by);
          for (let ping = 0; ping < 6; ping++) await deliveries.ping(id, by);
        }
      }
      const { results } = startSender(store, clock);
      // All endpoints have had a request, and the places that they share are taken.
      await until(() => slow.size === 2 * MAX_WEBHOOKS && receiver.open() >= 32);
      const other = someClient({ features: ['webhooks'] });
      await store.clients.create(other, BY);
      const by = asClient(other.id);
      const { id } = await create({ url: `${receiver.url}/other` }, by);
      await deliveries.ping(id, by);
      await until(() => receiver.received.some(({ path }) => path.endsWith('/other')));
      // None of the slow ones had to end for that.
      expect(results.filter(({ outcome }) => outcome !== 'delivered')).toEqual([]);
    });
  });
}

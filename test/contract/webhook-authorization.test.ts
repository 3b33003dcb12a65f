import { describe, expect, it } from 'vitest';
import { maskedUrl } from '../../src/features/webhooks/webhook.ts';
import { openDatabase } from '../harness/sql-databases.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { until } from '../harness/until.ts';
import { startReceiver, startSender } from './webhook-receiver-support.ts';
import { withWebhooks } from './webhooks-support.ts';

const anyVersion = () => {};

for (const adapter of ADAPTERS) {
  describe(`the Authorization header of messages on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('is sent as it was last given, until it is removed', async () => {
      const { store, clock, me, create } = await withWebhooks(await open());
      const receiver = await startReceiver(() => ({ status: 204 }));
      const first = await create({ url: receiver.url, authorization: 'Bearer one' });
      expect(first.hasAuthorization).toBe(true);
      startSender(store, clock);
      const sent = async () => {
        const count = receiver.received.length;
        const { deliveryId } = await store.webhookDeliveries.ping(first.id, me);
        await until(async () => {
          const { status } = await store.webhookDeliveries.find(first.id, deliveryId, me);
          return status === 'delivered';
        });
        return receiver.received.slice(count).map(({ headers }) => headers.authorization);
      };
      const update = (change: { authorization?: string; description?: string }) =>
        store.webhooks.update(first.id, change, anyVersion, me);
      expect(await sent()).toEqual(['Bearer one']);
      await update({ description: 'the same' });
      expect(await sent()).toEqual(['Bearer one']);
      expect(await update({ authorization: 'Basic dHdv' })).toMatchObject({
        hasAuthorization: true,
        version: 3,
      });
      expect(await sent()).toEqual(['Basic dHdv']);
      expect((await update({ authorization: '' })).hasAuthorization).toBe(false);
      expect(await sent()).toEqual([undefined]);
    });

    it('goes to no other host unless it is given again', async () => {
      const { store, me, create } = await withWebhooks(await open());
      const { id } = await create({ authorization: 'Bearer one' });
      const move = (change: { url: string; authorization?: string }) =>
        store.webhooks.update(id, change, anyVersion, me);
      await expect(move({ url: 'https://other.example/hook' })).rejects.toMatchObject({
        kind: 'conflict',
        message: expect.stringContaining('send authorization for it, too'),
      });
      await move({ url: 'https://partner.example/another' });
      const to = { url: 'https://other.example/hook' };
      expect(await move({ ...to, authorization: '' })).toMatchObject({
        ...to,
        hasAuthorization: false,
      });
      await move({ url: 'https://partner.example/hook' });
    });

    it('is damaged, and delays no other webhook', async () => {
      const { store, clock, location, me, create } = await withWebhooks(await open());
      const receiver = await startReceiver(() => ({ status: 204 }));
      const damaged = await create({ url: receiver.url, authorization: 'Bearer one' });
      const other = await create({ url: receiver.url, authorization: 'Bearer two' });
      await using database = await openDatabase(adapter, location, clock);
      await database.sql.apart((queries) =>
        queries
          .updateTable('webhooks')
          .set({ sealedAuthorization: Buffer.alloc(40) })
          .where('id', '=', damaged.id)
          .execute(),
      );
      const waiting = await store.webhookDeliveries.ping(damaged.id, me);
      const { deliveryId } = await store.webhookDeliveries.ping(other.id, me);
      const { errors } = startSender(store, clock);
      const statusOf = async (webhook: string, id: string) =>
        (await store.webhookDeliveries.find(webhook, id, me)).status;
      await until(async () => (await statusOf(other.id, deliveryId)) === 'delivered');
      expect(await statusOf(damaged.id, waiting.deliveryId)).toBe('pending');
      expect(receiver.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer two']);
      expect(errors[0]).toMatchObject({ message: 'the Authorization of a webhook is damaged' });
    });

    it('is in no record, and the values of queries are in none of the operator', async () => {
      const { store, me, create } = await withWebhooks(await open());
      const url = 'https://partner.example/hook?token=sesame';
      const { id } = await create({ url, authorization: 'Bearer sesame' });
      const records = [...(await store.webhooks.records()), await store.webhooks.record(id)];
      expect(JSON.stringify(records)).not.toContain('sesame');
      expect(records[0]!.url).toBe('https://partner.example/hook?token=…');
      expect((await store.webhooks.find(id, me)).url).toBe(url);
    });
  });
}

it.each([
  ['https://x.example/', 'https://x.example/'],
  ['https://x.example/?a=1&b=&c', 'https://x.example/?a=…&…&…'],
  ['https://x.example/?a=b=c?d&e=%26', 'https://x.example/?a=…&e=…'],
  ['https://x.example/?sesame', 'https://x.example/?…'],
])('%s is shown to others as %s', (url, shown) => {
  expect(maskedUrl(url)).toBe(shown);
});

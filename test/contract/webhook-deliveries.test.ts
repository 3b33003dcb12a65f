import { describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../../src/features/webhooks/webhook.ts';
import { BY } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { expectNotFound, harnessOf, trackId } from '../harness/stores.ts';
import { ANY, asClient } from './collections-support.ts';
import { withWebhooks } from './webhooks-support.ts';

const ALL = { offset: 0, limit: 100 };

for (const adapter of ADAPTERS) {
  describe(`deliveries on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const start = async () => {
      const harness = await withWebhooks(await open());
      const { store, me } = harness;
      const { id } = await harness.create();
      const pending = async (webhookId = id) =>
        (await store.webhookDeliveries.list(webhookId, me, { ...ALL, status: 'pending' })).total;
      return { ...harness, deliveries: store.webhookDeliveries, id, pending };
    };

    it('of pings are listed and shown with what is sent', async () => {
      const { deliveries, clock, me, id } = await start();
      const first = await deliveries.ping(id, me);
      clock.advance(1);
      const { deliveryId } = await deliveries.ping(id, 'operator');
      const delivery = {
        id: deliveryId,
        type: 'webhook.ping',
        seq: null,
        status: 'pending',
        attemptCount: 0,
        nextAttemptAt: clock.now(),
        createdAt: clock.now(),
        finishedAt: null,
      };
      const list = (request: object) => deliveries.list(id, me, { ...ALL, ...request });
      const page = await list({ limit: 1 });
      expect(page).toEqual({ deliveries: [delivery], total: 2 });
      expect((await list({ offset: 1 })).deliveries.map((one) => one.id)).toEqual([
        first.deliveryId,
      ]);
      expect((await list({ status: 'failed' })).total).toBe(0);
      expect((await list({ status: 'pending', type: 'webhook.ping' })).total).toBe(2);
      expect((await list({ type: 'track.created' })).total).toBe(0);
      const { payload, attempts, ...rest } = await deliveries.find(id, deliveryId, 'operator');
      expect(rest).toEqual(delivery);
      expect(attempts).toEqual([]);
      expect(JSON.parse(payload)).toEqual({
        type: 'webhook.ping',
        timestamp: new Date(clock.now()).toISOString(),
        data: { mode: 'live', webhookId: id },
      });
    });

    it('are found only by the owner of the endpoint', async () => {
      const { deliveries, client, me, id, create } = await start();
      const { deliveryId } = await deliveries.ping(id, me);
      const other = await create();
      const test = asClient(client.id, 'test');
      await expectNotFound(
        deliveries.list(id, test, ALL),
        deliveries.find(id, deliveryId, test),
        deliveries.find(other.id, deliveryId, me),
        deliveries.replay(other.id, deliveryId, me),
        deliveries.replayBetween(id, { from: 0, status: 'all' }, test),
        deliveries.simulate(id, { type: 'track.created', trackId: trackId(0) }, test),
      );
    });

    it('of simulated messages exist in test mode', async () => {
      const { deliveries, client, me, id, create } = await start();
      const event = { type: 'track.updated', trackId: trackId(0) } as const;
      await expect(deliveries.simulate(id, event, me)).rejects.toMatchObject({ kind: 'conflict' });
      const test = asClient(client.id, 'test');
      const webhook = await create({}, test);
      for (const type of EVENT_TYPES) {
        const { deliveryId } = await deliveries.simulate(webhook.id, { ...event, type }, test);
        const { payload } = await deliveries.find(webhook.id, deliveryId, test);
        const { data, ...rest } = JSON.parse(payload);
        expect(rest.type).toBe(type);
        expect(data).toMatchObject({ mode: 'test', simulated: true });
        expect(Object.keys(data)).not.toContain('seq');
        if (type.startsWith('track.')) expect(data.items[0]).toMatchObject({ trackId: trackId(0) });
      }
    });

    it('are replayed unless they are pending', async () => {
      const { store, deliveries, clock, me, id, pending } = await start();
      const { deliveryId } = await deliveries.ping(id, me);
      const from = clock.now();
      const replay = () => deliveries.replay(id, deliveryId, me);
      await expect(replay()).rejects.toMatchObject({ kind: 'conflict' });
      // To disable the endpoint discards it.
      await store.webhooks.update(id, { enabled: false }, ANY, me);
      expect(await deliveries.find(id, deliveryId, me)).toMatchObject({
        status: 'discarded',
        nextAttemptAt: null,
        finishedAt: clock.now(),
      });
      await expect(replay()).rejects.toMatchObject({ kind: 'conflict' });
      await store.webhooks.update(id, { enabled: true }, ANY, me);
      expect(await replay()).toEqual({ deliveryId });
      clock.advance(1);
      await deliveries.ping(id, me);
      expect(await pending()).toBe(2);
      await store.webhooks.setEnabled(id, false, BY);
      await store.webhooks.setEnabled(id, true, BY);
      const between = (request: { to?: number; status: 'failed' | 'all' }) =>
        deliveries.replayBetween(id, { from, ...request }, me);
      expect(await between({ status: 'failed' })).toEqual({ count: 0 });
      expect(await between({ to: from, status: 'all' })).toEqual({ count: 1 });
      expect(await between({ status: 'all' })).toEqual({ count: 1 });
      expect(await pending()).toBe(2);
    });

    it('of test messages are refused while a hundred of their type are pending', async () => {
      const { store, deliveries, client, create } = await start();
      const test = asClient(client.id, 'test');
      const { id } = await create({}, test);
      for (let n = 0; n < 100; n++) await deliveries.ping(id, test);
      await expect(deliveries.ping(id, test)).rejects.toMatchObject({ kind: 'conflict' });
      await expect(deliveries.ping(id, 'operator')).rejects.toMatchObject({ kind: 'conflict' });
      const event = { type: 'track.updated', trackId: trackId(0) } as const;
      for (let n = 0; n < 100; n++) await deliveries.simulate(id, event, test);
      await expect(deliveries.simulate(id, event, test)).rejects.toMatchObject({
        kind: 'conflict',
      });
      await deliveries.simulate(id, { ...event, type: 'track.created' }, test);
      await store.webhooks.update(id, { enabled: false }, ANY, test);
      await store.webhooks.update(id, { enabled: true }, ANY, test);
      await deliveries.ping(id, test);
    });

    it('that are replayed often keep their last attempts', async () => {
      const { store, deliveries, clock, me, id } = await start();
      const { deliveryId } = await deliveries.ping(id, me);
      const [endpoint] = await store.webhookSending.dueEndpoints(clock.now());
      const webhookRowId = endpoint!.rowId;
      const claim = { limit: 1, ms: 1 };
      const [message] = await store.webhookSending.claim(webhookRowId, clock.now(), claim);
      const failed = async () => {
        const at = clock.now();
        const [httpStatus, error, response, durationMs] = [500, null, '', 1];
        const ended = { outcome: 'failed', nextAt: null, endedAt: at } as const;
        const result = { at, httpStatus, error, response, durationMs, ...ended };
        await store.webhookSending.record([
          { deliveryRowId: message!.rowId, webhookRowId, ...result },
        ]);
      };
      for (let n = 1; n <= 95; n++) {
        await failed();
        if (n % 2 === 0) await deliveries.replay(id, deliveryId, me);
        else await deliveries.replayBetween(id, { from: 0, status: 'failed' }, me);
      }
      await failed();
      const { attempts, attemptCount } = await deliveries.find(id, deliveryId, me);
      expect(attemptCount).toBe(96);
      expect(attempts.map(({ attempt }) => attempt)).toEqual(
        Array.from({ length: 91 }, (_, n) => n + 6),
      );
    });

    it('are deleted after 30 days, unless they are pending', async () => {
      const { store, deliveries, clock, me, id } = await start();
      await deliveries.ping(id, me);
      await store.webhooks.setEnabled(id, false, BY);
      await store.webhooks.setEnabled(id, true, BY);
      const kept = await deliveries.ping(id, me);
      clock.advance(30 * 86_400);
      await deliveries.expire();
      expect((await deliveries.list(id, me, ALL)).total).toBe(2);
      clock.advance(0.001);
      await deliveries.expire();
      const left = (await deliveries.list(id, me, ALL)).deliveries;
      expect(left.map((one) => one.id)).toEqual([kept.deliveryId]);
    });

    it('are discarded when the client may not get them any more', async () => {
      const { store, deliveries, client, me, id, pending } = await start();
      const update = (change: object) => store.clients.update(client.id, change, BY);
      await deliveries.ping(id, me);
      await update({ name: 'Other' });
      await update({ features: ['webhooks'] });
      expect(await pending()).toBe(1);
      await update({ features: [] });
      expect(await pending()).toBe(0);
      await update({ features: ['webhooks'] });
      await deliveries.ping(id, me);
      await update({ enabled: false });
      expect(await pending()).toBe(0);
    });
  });
}

import { describe, expect, it } from 'vitest';
import { SERVICE_VERSION } from '../../src/common/version.ts';
import { signedHeaders } from '../../src/engines/net/signature.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { allChanges, type Harness, harnessOf } from '../harness/stores.ts';
import { until } from '../harness/until.ts';
import { asClient } from './collections-support.ts';
import { startReceiver, startSender } from './webhook-receiver-support.ts';
import { withWebhooks } from './webhooks-support.ts';

const HOUR = 3_600;

for (const adapter of ADAPTERS) {
  describe(`sending of messages on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    const start = async (
      answer: Parameters<typeof startReceiver>[0] = () => ({ status: 204 }),
      mode: 'test' | 'live' = 'live',
    ) => {
      const harness: Harness = await open();
      const receiver = await startReceiver(answer);
      const rest = await withWebhooks(harness);
      const { store } = rest;
      const me = asClient(rest.client.id, mode);
      const { id } = await rest.create({ url: receiver.url }, me);
      const ping = async () => (await store.webhookDeliveries.ping(id, me)).deliveryId;
      const find = (deliveryId: string) => store.webhookDeliveries.find(id, deliveryId, me);
      const attempted = (deliveryId: string, count: number) =>
        until(async () => (await find(deliveryId)).attemptCount === count);
      return { ...rest, me, id, receiver, ping, find, attempted };
    };

    it('signs the body with all valid secrets, and keeps the attempt', async () => {
      const { store, clock, me, id, receiver, ping, find, attempted } = await start();
      const secret = Buffer.alloc(32, 2);
      await store.webhooks.rotateSecret(id, { secret, revokePrevious: false }, me);
      const deliveryId = await ping();
      startSender(store, clock);
      await attempted(deliveryId, 1);
      const { payload, ...delivery } = await find(deliveryId);
      const [message, ...none] = receiver.received;
      expect(none).toEqual([]);
      expect(message!.body).toBe(payload);
      const messageId = `msg_${deliveryId.replaceAll('-', '')}`;
      const secrets = [secret, Buffer.alloc(32, 1)];
      expect(message!.headers).toMatchObject({
        'content-type': 'application/json',
        'user-agent': `Stave/${SERVICE_VERSION}`,
        ...signedHeaders(messageId, clock.now(), Buffer.from(payload), secrets),
      });
      expect(delivery).toMatchObject({
        status: 'delivered',
        nextAttemptAt: null,
        finishedAt: clock.now(),
        attempts: [
          {
            attempt: 1,
            at: clock.now(),
            durationMs: expect.any(Number),
            httpStatus: 204,
            error: null,
            response: '',
          },
        ],
      });
    });

    it('repeats a failed attempt with the same id until they run out, and again after a replay', async () => {
      let status = 500;
      const running = await start(() => ({ status }), 'test');
      const { store, clock, me, id, receiver, ping, find, attempted } = running;
      startSender(store, clock);
      const deliveryId = await ping();
      for (const [i, wait] of [1, 2, 4, 8].entries()) {
        await attempted(deliveryId, i + 1);
        const { status: state, nextAttemptAt } = await find(deliveryId);
        expect([state, nextAttemptAt]).toEqual(['pending', clock.now() + wait * 1_000]);
        clock.advance(wait);
      }
      await attempted(deliveryId, 5);
      expect(await find(deliveryId)).toMatchObject({ status: 'failed', nextAttemptAt: null });
      expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      const times = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']));
      expect(times.map((time) => time - times[0]!)).toEqual([0, 1, 3, 7, 15]);
      expect(await store.webhooks.find(id, me)).toMatchObject({ enabled: true });
      status = 200;
      await store.webhookDeliveries.replay(id, deliveryId, me);
      await attempted(deliveryId, 6);
      const { attempts, ...replayed } = await find(deliveryId);
      expect(replayed.status).toBe('delivered');
      expect(attempts.map(({ httpStatus, response }) => [httpStatus, response])).toEqual([
        ...Array.from({ length: 5 }, () => [500, 'the response']),
        [200, 'the response'],
      ]);
    });

    it('waits for as long as the receiver wants', async () => {
      const headers = { 'Retry-After': '600' };
      const { store, clock, ping, find, attempted } = await start(() => ({ status: 503, headers }));
      startSender(store, clock);
      const deliveryId = await ping();
      await attempted(deliveryId, 1);
      expect((await find(deliveryId)).nextAttemptAt).toBe(clock.now() + 600_000);
    });

    it('disables an endpoint that is gone, and discards its messages', async () => {
      const { store, clock, me, id, receiver, ping, find } = await start(() => ({ status: 410 }));
      const ids: string[] = [];
      for (let n = 0; n < 6; n++) ids.push(await ping());
      const { stop } = startSender(store, clock);
      await until(async () => !(await store.webhooks.find(id, me)).enabled);
      await stop();
      expect(await store.webhooks.find(id, me)).toMatchObject({
        disabledReason: 'gone',
        version: 2,
      });
      // Those that were open already have failed, or were discarded meanwhile.
      expect(receiver.received.length).toBeLessThanOrEqual(4);
      const states = (await Promise.all(ids.map(find))).map(({ status }) => status);
      expect(new Set(states)).toEqual(new Set(['discarded', 'failed']));
      expect((await allChanges(store)).at(-1)).toMatchObject({
        entity: 'webhook',
        kind: 'updated',
        entityId: id,
        by: 'system:webhooks',
      });
    });

    it('disables an endpoint whose message ran out of attempts after three days of failures', async () => {
      let status = 200;
      const running = await start(() => ({ status }), 'test');
      const { store, clock, me, id, ping, attempted, find } = running;
      startSender(store, clock);
      clock.advance(60 * HOUR);
      await attempted(await ping(), 1);
      status = 500;
      const failed = async () => {
        const deliveryId = await ping();
        for (const [i, wait] of [1, 2, 4, 8].entries()) {
          await attempted(deliveryId, i + 1);
          clock.advance(wait);
        }
        await until(async () => (await find(deliveryId)).status === 'failed');
      };
      clock.advance(71 * HOUR);
      await failed();
      expect((await store.webhooks.find(id, me)).enabled).toBe(true);
      clock.advance(HOUR);
      await failed();
      await until(async () => !(await store.webhooks.find(id, me)).enabled);
      expect((await store.webhooks.find(id, me)).disabledReason).toBe('failing');
    });

    it('has four requests open to an endpoint, and one while that fails', async () => {
      const { promise: release, resolve } = Promise.withResolvers<number>();
      let isFirst = true;
      const { store, clock, receiver, ping } = await start(() => {
        const answer = isFirst ? { status: 200 } : { release };
        isFirst = false;
        return answer;
      });
      for (let n = 0; n < 12; n++) await ping();
      const { results } = startSender(store, clock);
      await until(() => receiver.open() === 4);
      resolve(500);
      await until(() => results.length === 12);
      const open = receiver.received.map((message) => message.open);
      expect(open.slice(5)).toEqual(Array.from({ length: 7 }, () => 1));
    });

    it('knows whether the last attempt of an earlier sender failed', async () => {
      const { promise: release, resolve } = Promise.withResolvers<number>();
      let answer: { status: number } | { release: Promise<number> } = { status: 500 };
      const { store, another, clock, receiver, ping, attempted } = await start(() => answer);
      const first = startSender(store, clock);
      await attempted(await ping(), 1);
      await first.stop();
      answer = { release };
      for (let n = 0; n < 3; n++) await ping();
      const { results } = startSender(await another(), clock);
      await until(() => receiver.open() === 1);
      clock.advance(1);
      resolve(204);
      await until(() => results.length === 3);
      expect(receiver.received[1]!.open).toBe(1);
      expect(receiver.received).toHaveLength(4);
    });

    it('sends again what a sender has not finished', async () => {
      const { promise: never } = Promise.withResolvers<number>();
      let isFirst = true;
      const { store, another, clock, receiver, ping, find, attempted } = await start(() => {
        const answer = isFirst ? { release: never } : { status: 200 };
        isFirst = false;
        return answer;
      });
      const deliveryId = await ping();
      const first = startSender(store, clock);
      await until(() => receiver.received.length === 1);
      await first.stop();
      expect(await find(deliveryId)).toMatchObject({ status: 'pending', attemptCount: 0 });
      startSender(await another(), clock);
      await attempted(deliveryId, 1);
      expect(receiver.received).toHaveLength(2);
    });

    it('sends what a process has taken and stored, and did not send before it ended', async () => {
      const { store, another, clock, receiver, ping, attempted } = await start();
      const deliveryId = await ping();
      const [endpoint] = await store.webhookSending.dueEndpoints(clock.now());
      const claim = { limit: 1, ms: 25_000 };
      expect(await store.webhookSending.claim(endpoint!.rowId, clock.now(), claim)).toHaveLength(1);
      const other = await another();
      expect(await other.webhookSending.claim(endpoint!.rowId, clock.now(), claim)).toEqual([]);
      startSender(other, clock);
      await attempted(await ping(), 1);
      expect(receiver.received).toHaveLength(1);
      clock.advance(25);
      await attempted(deliveryId, 1);
      expect(receiver.received).toHaveLength(2);
    });

    it('sends what was taken before the clock was set back', async () => {
      const { store, clock, receiver, ping, attempted } = await start();
      const deliveryId = await ping();
      clock.advance(3_600);
      const [endpoint] = await store.webhookSending.dueEndpoints(clock.now());
      const claim = { limit: 1, ms: 25_000 };
      expect(await store.webhookSending.claim(endpoint!.rowId, clock.now(), claim)).toHaveLength(1);
      clock.advance(-3_600);
      startSender(store, clock);
      await attempted(deliveryId, 1);
      expect(receiver.received).toHaveLength(1);
    });

    it('discards the messages of a deleted endpoint', async () => {
      const { store, client, ping } = await start();
      await ping();
      await store.clients.delete(client.id, 'test');
      await store.webhookSending.discardStray();
      const pending = await store.webhookSending.pending();
      expect(pending).toBe(0);
    });
  });
}

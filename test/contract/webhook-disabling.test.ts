import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/features/store.ts';
import type { AttemptResult } from '../../src/features/webhooks/schedule.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { until } from '../harness/until.ts';
import { startReceiver, startSender } from './webhook-receiver-support.ts';
import { withWebhooks } from './webhooks-support.ts';

const ANSWER = { durationMs: 1, error: null, response: '' };

/** A store that cannot record what attempts have done. */
function withoutRecords(store: Store): { broken: Store; tries: () => number } {
  let tries = 0;
  const webhookSending = new Proxy(store.webhookSending, {
    get(target, name) {
      if (name === 'record') {
        return async () => {
          tries++;
          throw new Error('the store is away');
        };
      }
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { broken: { ...store, webhookSending }, tries: () => tries };
}

for (const adapter of ADAPTERS) {
  describe(`endpoints that are gone on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are disabled in the transaction that records the attempt', async () => {
      const { store, clock, me, create } = await withWebhooks(await open());
      const { id } = await create();
      const other = await create();
      for (const one of [id, other.id]) await store.webhookDeliveries.ping(one, me);
      const now = clock.now();
      const results: AttemptResult[] = [];
      const due = await store.webhookSending.dueEndpoints(now);
      for (const [i, { rowId }] of due.entries()) {
        const [message] = await store.webhookSending.claim(rowId, now, { limit: 1, ms: 1 });
        const httpStatus = i === 0 ? 410 : 204;
        const outcome = i === 0 ? 'failed' : 'delivered';
        const what = {
          ...ANSWER,
          at: now,
          endedAt: now,
          nextAt: null,
          httpStatus,
          outcome,
        } as const;
        results.push({ ...what, deliveryRowId: message!.rowId, webhookRowId: rowId });
      }
      const disabled = await store.webhookSending.record(results);
      expect([...disabled]).toEqual([due[0]!.rowId]);
      const gone = { enabled: false, disabledReason: 'gone', version: 2 };
      expect(await store.webhooks.find(id, me)).toMatchObject(gone);
      expect(await store.webhooks.find(other.id, me)).toMatchObject({ enabled: true, version: 1 });
    });

    it('are not disabled by an attempt that a sender could not record before it ended', async () => {
      const { store, clock, me, create } = await withWebhooks(await open());
      const receiver = await startReceiver(() => ({ status: 410 }));
      const { id } = await create({ url: receiver.url });
      await store.webhookDeliveries.ping(id, me);
      const { broken, tries } = withoutRecords(store);
      const { stop } = startSender(broken, clock);
      await until(() => tries() > 0);
      await stop();
      expect(await store.webhooks.find(id, me)).toMatchObject({ enabled: true, version: 1 });
      clock.advance(60);
      startSender(store, clock);
      await until(async () => !(await store.webhooks.find(id, me)).enabled);
      await until(async () => (await store.webhookSending.pending()) === 0);
    });
  });
}

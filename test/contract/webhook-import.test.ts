import { describe, expect, it } from 'vitest';
import { deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { until } from '../harness/until.ts';
import { brokenLinks, type Payload, withFanOut } from './webhook-fan-out-support.ts';
import { startReceiver, startSender } from './webhook-receiver-support.ts';

/** More changes of a type than a message may name, in each second. */
const EACH_SECOND = 1_100;
const SECONDS = 3;

for (const adapter of ADAPTERS) {
  describe(`an import of more than a thousand changes a second on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('makes at most two calls a second of each type to an endpoint', async () => {
      const { store, clock, create, run } = await withFanOut(await open());
      const receiver = await startReceiver(() => ({ status: 204 }));
      await create({ url: receiver.url, eventTypes: ['track.created', 'track.updated'] });
      startSender(store, clock);
      const callsOf = (type: string) =>
        receiver.received
          .map(({ body }) => JSON.parse(body) as Payload)
          .filter((message) => message.type === type);
      let known = 0;
      for (let second = 0; second < SECONDS; second++) {
        const from = second * EACH_SECOND;
        await importAll(store, deliveries(from, from + EACH_SECOND), `new ${second}`);
        const changed = Array.from({ length: EACH_SECOND }, (_, n) =>
          delivery(n, { name: `Changed ${second}` }),
        );
        await importAll(store, changed, `changed ${second}`);
        const before = [callsOf('track.created').length, callsOf('track.updated').length];
        await run();
        await until(async () => (await store.webhookSending.pending()) === 0);
        const after = [callsOf('track.created').length, callsOf('track.updated').length];
        for (const [i, calls] of after.entries()) {
          expect(calls - before[i]!).toBeGreaterThan(0);
          expect(calls - before[i]!).toBeLessThanOrEqual(2);
        }
        known += EACH_SECOND;
        for (const type of ['track.created', 'track.updated']) {
          const messages = callsOf(type).sort((a, b) => a.data.seq - b.data.seq);
          expect(messages.reduce((sum, { data }) => sum + data.count, 0)).toBe(known);
          expect(brokenLinks(messages, 0)).toEqual([]);
        }
      }
    }, 120_000);
  });
}

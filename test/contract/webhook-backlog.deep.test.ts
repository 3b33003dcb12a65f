import { describe, expect, it } from 'vitest';
import { newSortableId } from '../../src/common/ids.ts';
import type { AttemptResult } from '../../src/features/webhooks/schedule.ts';
import { deliveries, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { ANY, asClient } from './collections-support.ts';
import { brokenLinks, withFanOut } from './webhook-fan-out-support.ts';

const MINUTE = 60;
const DAY = 86_400;

for (const adapter of ADAPTERS) {
  describe(`messages that an endpoint does not get on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    const start = async () => {
      const harness = await withFanOut(await open());
      const { store, clock } = harness;
      /** Records that all messages were delivered. */
      const deliverAll = async () => {
        const now = clock.now();
        for (const { rowId } of await store.webhookSending.dueEndpoints(now)) {
          const messages = await store.webhookSending.claim(rowId, now, { limit: 5_000, ms: 1 });
          const result = { at: now, durationMs: 1, httpStatus: 204, error: null, response: '' };
          const done = { ...result, outcome: 'delivered', nextAt: null, endedAt: now } as const;
          const results: AttemptResult[] = messages.map((message) => {
            return { ...done, deliveryRowId: message.rowId, webhookRowId: rowId };
          });
          while (results.length > 0) await store.webhookSending.record(results.splice(0, 500));
        }
      };
      /** Records the attempts of the pending messages of a kind, as the last ones. */
      const attempt = async (kind: string, outcome: 'delivered' | 'failed') => {
        const now = clock.now();
        const [endpoint] = await store.webhookSending.dueEndpoints(now);
        const { rowId } = endpoint!;
        const messages = await store.webhookSending.claim(rowId, now, { limit: 5_000, ms: 1 });
        const result = { at: now, durationMs: 1, httpStatus: 500, error: null, response: '' };
        const done = { ...result, outcome, nextAt: null, endedAt: now };
        const own = messages.filter(({ body }) => body.includes(`"type":"${kind}"`));
        await store.webhookSending.record(
          own.map((message) => ({ ...done, deliveryRowId: message.rowId, webhookRowId: rowId })),
        );
      };
      return { ...harness, deliverAll, attempt };
    };

    it('are made without delay when it has received another message', async () => {
      const { store, clock, me, create, run, sent, attempt } = await start();
      const { id } = await create();
      await importAll(store, deliveries(0, 1_001));
      await run();
      clock.advance(DAY);
      for (const n of [1_001, 1_002]) {
        await importAll(store, deliveries(n, n + 1));
        await run();
      }
      expect(await sent(id)).toHaveLength(2);
      await store.webhookDeliveries.ping(id, me);
      clock.advance(MINUTE);
      await attempt('webhook.ping', 'delivered');
      await run();
      const [, second, third] = (await sent(id)).filter(({ type }) => type === 'track.created');
      expect(third!.data).toMatchObject({ count: 1, previousSeq: second!.data.seq });
      // It may be that it refuses only this type.
      for (let n = 1_003; n < 1_033; n++) {
        await importAll(store, deliveries(n, n + 1));
        await store.webhookDeliveries.ping(id, me);
        await attempt('webhook.ping', 'delivered');
        await run();
      }
      const made = (await sent(id)).filter(({ type }) => type === 'track.created');
      expect(made.length).toBeLessThanOrEqual(4);
    });

    it('are made without delay after earlier ones were replayed', async () => {
      const { store, clock, me, create, run, sent, attempt } = await start();
      const { id } = await create();
      await importAll(store, deliveries(0, 1_001));
      await run();
      await attempt('track.created', 'failed');
      clock.advance(10 * DAY);
      const request = { from: 0, status: 'failed' } as const;
      expect(await store.webhookDeliveries.replayBetween(id, request, me)).toEqual({ count: 1 });
      for (let n = 1_001; n < 1_004; n++) {
        await importAll(store, deliveries(n, n + 1));
        await run();
      }
      expect(await sent(id)).toHaveLength(4);
    });

    it('are made without delay beside simulated ones', async () => {
      const { store, clock, create, run, sent, me: live } = await start();
      const me = asClient(live.clientId, 'test');
      const { id } = await create({ eventTypes: ['saved_search.matched'] }, me);
      const content = { id: newSortableId(clock.now()), name: 'S', query: '{}', notify: true };
      await store.savedSearches.create(content, me);
      const type = 'saved_search.matched' as const;
      await store.webhookDeliveries.simulate(id, { type, trackId: id }, me);
      clock.advance(DAY);
      await store.webhookDeliveries.simulate(id, { type, trackId: id }, me);
      await importAll(store, deliveries(0, 1));
      await run();
      expect((await sent(id, me)).filter(({ data }) => !data.simulated)).toHaveLength(1);
    });

    it('grow with the logarithm of the time that it fails, and report each change once', async () => {
      const { store, clock, create, run, sent, deliverAll } = await start();
      const { id } = await create();
      const add = (from: number, to: number) => importAll(store, deliveries(from, to));
      await add(0, 1_001);
      await run();
      let next = 1_001;
      const counts: number[] = [];
      for (let hour = 0; hour < 24; hour++) {
        for (let n = 0; n < 4; n++) {
          clock.advance(15 * MINUTE);
          await add(next, ++next);
          await run();
        }
        counts.push((await sent(id)).length);
      }
      // Without the rule there would be 97.
      expect(counts[23]! - counts[11]!).toBeLessThan(10);
      expect(counts[23]!).toBeLessThan(40);
      await deliverAll();
      await run();
      const messages = await sent(id);
      expect(messages.reduce((sum, { data }) => sum + data.count, 0)).toBe(next);
      expect(brokenLinks(messages, 0)).toEqual([]);
      for (const [i, { data }] of messages.entries()) {
        expect(data).toMatchObject({ truncated: true, items: [] });
        if (i > 0) expect(data.fromSeq).toBeGreaterThan(messages[i - 1]!.data.seq);
      }
      await deliverAll();
      await add(next, next + 1);
      await run();
      expect((await sent(id)).at(-1)!.data).toMatchObject({ count: 1, truncated: false });
      expect(brokenLinks(await sent(id), 0)).toEqual([]);
    }, 60_000);

    it('about a saved search are summed up', async () => {
      const { store, clock, me, create, run, sent, deliverAll } = await start();
      const { id } = await create({ eventTypes: ['saved_search.matched'] });
      const search = newSortableId(clock.now());
      const content = { id: search, name: 'S', query: '{}', notify: true };
      await store.savedSearches.create(content, me);
      for (let n = 0; n < 60; n++) {
        await importAll(store, deliveries(n, n + 1));
        await run();
        clock.advance(MINUTE);
      }
      const before = (await sent(id)).length;
      expect(before).toBeLessThan(30);
      await deliverAll();
      await run();
      const messages = await sent(id);
      expect(messages.length - before).toBeLessThanOrEqual(1);
      expect(messages.reduce((sum, { data }) => sum + data.count, 0)).toBe(60);
      const named = messages.flatMap(({ data }) => data.trackIds);
      expect(new Set(named).size).toBe(60);
      expect(brokenLinks(messages, 0)).toEqual([]);
      // What waits is forgotten when the search begins anew.
      for (let n = 60; n < 90; n++) {
        await importAll(store, deliveries(n, n + 1));
        clock.advance(MINUTE);
        await run();
      }
      await store.savedSearches.update(search, { notify: false }, ANY, me);
      await store.savedSearches.update(search, { notify: true }, ANY, me);
      await deliverAll();
      const known = (await sent(id)).length;
      clock.advance(MINUTE);
      await run();
      expect(await sent(id)).toHaveLength(known);
    }, 60_000);
  });
}

import { describe, expect, it } from 'vitest';
import { renewLogEpoch } from '../../src/engines/change-log/positions.ts';
import type { Store } from '../../src/features/store.ts';
import type { FanOutStore } from '../../src/features/webhooks/store/fan-out-store.ts';
import { BY, deliveries, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { ANY, asClient } from './collections-support.ts';
import { brokenLinks, withFanOut } from './webhook-fan-out-support.ts';

/** More than one transaction handles. */
const MANY = 300;

/** A store whose fan-out does something after each transaction with messages. */
function watched(store: Store, onAppend: () => void): Store {
  const webhookFanOut = new Proxy(store.webhookFanOut, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== 'function') return value;
      if (name !== 'append') return value.bind(target);
      return async (...given: Parameters<FanOutStore['append']>) => {
        const isDone = await target.append(...given);
        onAppend();
        return isDone;
      };
    },
  });
  return { ...store, webhookFanOut };
}

for (const adapter of ADAPTERS) {
  describe(`many messages on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    const start = async () => {
      const harness = await withFanOut(await open());
      const { store, create } = harness;
      const me = asClient(harness.me.clientId, 'test');
      const { id } = await create({}, me);
      // No type may have more than a hundred that are pending.
      for (let n = 0; n < MANY / 3; n++) {
        await store.webhookDeliveries.ping(id, me);
        for (const type of ['track.updated', 'track.taken_down'] as const) {
          await store.webhookDeliveries.simulate(id, { type, trackId: id }, me);
        }
      }
      const countOf = async (status: 'pending' | 'discarded' | 'failed') => {
        const page = { offset: 0, limit: 0, status };
        return (await store.webhookDeliveries.list(id, me, page)).total;
      };
      return { ...harness, me, id, countOf };
    };

    it.each([
      [
        'its client',
        (store: Store, id: string, me: ReturnType<typeof asClient>, on: boolean) =>
          store.webhooks.update(id, { enabled: on }, ANY, me),
      ],
      [
        'the operator',
        (store: Store, id: string, _: unknown, on: boolean) =>
          store.webhooks.setEnabled(id, on, BY),
      ],
      [
        'the state of the client',
        (store: Store, _: string, me: ReturnType<typeof asClient>, on: boolean) =>
          store.clients.update(me.clientId, { enabled: on }, BY),
      ],
      [
        'the features of the client',
        (store: Store, _: string, me: ReturnType<typeof asClient>, on: boolean) =>
          store.clients.update(me.clientId, { features: on ? ['webhooks'] : [] }, BY),
      ],
    ])('are discarded when the endpoint is disabled by %s', async (_, toggle) => {
      const { store, id, me, countOf } = await start();
      await toggle(store, id, me, false);
      expect(await countOf('discarded')).toBe(MANY);
      await toggle(store, id, me, true);
      expect(await countOf('pending')).toBe(0);
      await store.webhookDeliveries.ping(id, me);
      await store.webhookSending.discardStray();
      expect(await countOf('pending')).toBe(1);
    });

    it('that were not discarded in time are not sent later', async () => {
      const { store, clock, id, me, countOf } = await start();
      const [endpoint] = await store.webhookSending.dueEndpoints(clock.now());
      const { rowId } = endpoint!;
      const ending = new AbortController();
      ending.abort();
      await store.webhooks.setEnabled(id, false, BY);
      await store.webhookSending.discardStray(ending.signal);
      const claim = { limit: MANY, ms: 1 };
      expect(await store.webhookSending.claim(rowId, clock.now(), claim)).toEqual([]);
      await store.webhooks.setEnabled(id, true, BY);
      expect(await store.webhookSending.claim(rowId, clock.now(), claim)).toEqual([]);
      expect(await countOf('pending')).toBe(0);
      await store.webhookDeliveries.ping(id, me);
      expect(await store.webhookSending.claim(rowId, clock.now(), claim)).toHaveLength(1);
    });

    it('of another history of the log are discarded before that counts as begun', async () => {
      const { store, run, countOf } = await start();
      await renewLogEpoch(store.settings);
      const position = (await store.webhookFanOut.position())!;
      const { epoch, head } = await store.changes.bounds();
      const ending = new AbortController();
      ending.abort();
      await store.webhookFanOut.begin({ epoch: epoch!, seq: head }, ending.signal);
      expect(await store.webhookFanOut.position()).toEqual(position);
      await run();
      expect(await countOf('discarded')).toBe(MANY);
      expect(await store.webhookFanOut.position()).toEqual({ epoch, seq: head });
    });

    it('are replayed, each once', async () => {
      const { store, clock, id, me, countOf } = await start();
      const from = clock.now();
      await store.webhooks.setEnabled(id, false, BY);
      await store.webhooks.setEnabled(id, true, BY);
      await store.webhookDeliveries.ping(id, me);
      const replay = (status: 'failed' | 'all') =>
        store.webhookDeliveries.replayBetween(id, { from, status }, me);
      expect(await replay('failed')).toEqual({ count: 0 });
      expect(await replay('all')).toEqual({ count: MANY });
      expect(await replay('all')).toEqual({ count: 0 });
      expect(await countOf('pending')).toBe(MANY + 1);
    });

    it('are made once for each endpoint, although the task is interrupted between transactions', async () => {
      const harness = await open();
      let ending = new AbortController();
      let appends = 0;
      const store = watched(harness.store, () => {
        appends++;
        ending.abort();
      });
      const { create, run, sent } = await withFanOut({ ...harness, store });
      const ids: string[] = [];
      for (let n = 0; n < 10; n++) ids.push((await create()).id);
      await importAll(store, deliveries(0, 900));
      const position = await store.webhookFanOut.position();
      await run({ signal: ending.signal });
      expect(await store.webhookFanOut.position()).toEqual(position);
      await importAll(store, deliveries(900, 950));
      for (
        let n = 0;
        n < 20 && (await store.webhookFanOut.position())!.seq === position!.seq;
        n++
      ) {
        ending = new AbortController();
        await run({ signal: ending.signal });
      }
      expect(appends).toBeGreaterThan(1);
      ending = new AbortController();
      await run();
      for (const id of ids) {
        const messages = await sent(id);
        const seqs = messages.flatMap(({ data }) =>
          data.items.map((item: { seq: number }) => item.seq),
        );
        expect(new Set(seqs).size).toBe(950);
        expect(seqs).toHaveLength(950);
        expect(brokenLinks(messages, 0)).toEqual([]);
      }
    });
  });
}

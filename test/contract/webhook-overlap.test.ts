import { describe, expect, it } from 'vitest';
import { newSortableId } from '../../src/common/ids.ts';
import type { HeldChanges, Subscriber } from '../../src/features/webhooks/subscriber.ts';
import type { EventType } from '../../src/features/webhooks/webhook.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { withFanOut } from './webhook-fan-out-support.ts';

const SUBJECT = newSortableId(1);
const HELD: HeldChanges = { fromSeq: 1, seq: 2, at: 1, count: 2, members: {} };

for (const adapter of ADAPTERS) {
  describe(`two nodes that make messages of one reading on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    const start = async (type: EventType) => {
      const harness = await withFanOut(await open());
      const { store, another, clock, me, create } = harness;
      const { id } = await create({ eventTypes: [type] });
      const fanOut = store.webhookFanOut;
      const read = async () => (await fanOut.subscribers())[0]!;
      const messageOf = (subscriber: Subscriber, subject: string) => {
        const name = { subscriber, type, subject, previousSeq: 0 };
        return {
          ...name,
          id: newSortableId(clock.now()),
          fromSeq: 1,
          seq: 2,
          count: 2,
          body: '{}',
        };
      };
      const total = async () =>
        (await store.webhookDeliveries.list(id, me, { offset: 0, limit: 9 })).total;
      return { ...harness, other: await another(), fanOut, read, messageOf, total };
    };

    it.each([
      ['track.created', ''],
      ['collection.updated', SUBJECT],
    ] as const)('store changes of %s that were held once', async (type, subject) => {
      const { other, fanOut, read, messageOf, total } = await start(type);
      const from = (await fanOut.position())!;
      const before = await read();
      const held = { subscriber: before, type, subject, previousSeq: 0, held: HELD };
      // Nothing else is new, so that the position of the endpoint stays.
      const to = before.position;
      const append = (store: typeof fanOut, subscriber: Subscriber, step: object) =>
        store.append(from, to, [{ subscriber, steps: [step as typeof held] }]);
      expect(await append(fanOut, before, held)).toBe(true);
      expect(await append(other.webhookFanOut, before, held)).toBe(false);
      const after = await read();
      expect(after.held).toEqual([{ type, subject, seq: 0, held: HELD }]);
      expect(await append(fanOut, after, messageOf(after, subject))).toBe(true);
      expect(await append(other.webhookFanOut, after, messageOf(after, subject))).toBe(false);
      expect(await total()).toBe(1);
      expect((await read()).held).toEqual([]);
    });

    it('store held tracks of a saved search once', async () => {
      const type = 'saved_search.matched';
      const { store, other, clock, me, fanOut, read, messageOf, total } = await start(type);
      const content = { id: SUBJECT, name: 'S', query: '{}', notify: true };
      await store.savedSearches.create(content, me);
      const { epoch } = (await fanOut.position())!;
      const append = async (matches: typeof store.webhookFanOut, step: object) => {
        clock.advance(1);
        const steps = [step as ReturnType<typeof messageOf>];
        await matches.appendMatches(epoch, [{ search, notifiedRowId, steps }], clock.now());
      };
      let [search] = (await store.webhookFanOut.notifying()) as [never];
      const { notifiedRowId } = search as { notifiedRowId: number };
      const subscriber = await read();
      const name = { subscriber, type, subject: SUBJECT, previousSeq: 0 };
      await append(store.webhookFanOut, { ...name, held: HELD });
      [search] = (await store.webhookFanOut.notifying()) as [never];
      const after = await read();
      await append(store.webhookFanOut, messageOf(after, SUBJECT));
      await append(other.webhookFanOut, messageOf(after, SUBJECT));
      expect(await total()).toBe(1);
    });
  });
}

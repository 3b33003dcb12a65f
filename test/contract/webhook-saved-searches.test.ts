import { describe, expect, it } from 'vitest';
import type { WriteContext } from '../../src/common/caller.ts';
import { newSortableId } from '../../src/common/ids.ts';
import type { Client } from '../../src/features/access/client.ts';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import { BY, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';
import { ANY, asClient } from './collections-support.ts';
import { brokenLinks, withFanOut } from './webhook-fan-out-support.ts';

const MINUTE = 60;
const eventTypes: ['saved_search.matched'] = ['saved_search.matched'];

/** Tracks with a name. */
const named = (name: string, from: number, to: number): TrackDelivery[] =>
  Array.from({ length: to - from }, (_, i) => delivery(from + i, { name: `${name} ${from + i}` }));

for (const adapter of ADAPTERS) {
  describe(`messages about saved searches on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    const start = async () => {
      const harness = await withFanOut(await open());
      const { store, clock, me } = harness;
      const save = async (
        text: string,
        { notify = true, by = me }: { notify?: boolean; by?: WriteContext<never> } = {},
      ) => {
        const id = newSortableId(clock.now());
        const query = JSON.stringify({ query: text });
        await store.savedSearches.create({ id, name: `S ${id}`, query, notify }, by);
        return id;
      };
      const add = (name: string, from: number, to: number) =>
        importAll(store, named(name, from, to));
      const seqOf = async (n: number) => {
        const [created] = (await store.changes.latest(10, {
          entityId: trackId(n),
          kind: 'created',
        }))!;
        return created!.seq;
      };
      return { ...harness, save, add, seqOf };
    };

    it('report an import of 10,000 tracks once a minute, with the exact count', async () => {
      const { clock, create, save, add, run, sent, seqOf } = await start();
      const { id } = await create({ eventTypes });
      const searchId = await save('ferry');
      const counts: number[] = [];
      for (let n = 0; n < 10; n++) {
        await add('Ferry', n * 1_000, (n + 1) * 1_000);
        await run();
        counts.push((await sent(id)).length);
        clock.advance(15);
      }
      // The first at once, and then after 64, 128 and 192 s.
      expect(counts).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 3, 3]);
      clock.advance(MINUTE);
      await run();
      const messages = await sent(id);
      expect(messages.map(({ data }) => data.count)).toEqual([1_000, 4_000, 4_000, 1_000]);
      expect(brokenLinks(messages, 0)).toEqual([]);
      const { data, timestamp } = messages[0]!;
      expect(data).toEqual({
        mode: 'live',
        savedSearchId: searchId,
        name: `S ${searchId}`,
        count: 1_000,
        trackIds: Array.from({ length: 50 }, (_, i) => trackId(999 - i)),
        seq: await seqOf(999),
        previousSeq: 0,
      });
      expect(Date.parse(timestamp)).toBeLessThan(clock.now());
    }, 60_000);

    it('wait for the index, and miss none of its tracks', async () => {
      const { clock, create, save, add, run, sent } = await start();
      const { id } = await create({ eventTypes });
      await save('ferry');
      await add('Ferry', 0, 2);
      await run({ isIndexed: false });
      await add('Ferry', 2, 5);
      await run({ isIndexed: false });
      expect(await sent(id)).toEqual([]);
      await run();
      clock.advance(MINUTE);
      await run();
      const messages = await sent(id);
      expect(messages.reduce((sum, { data }) => sum + data.count, 0)).toBe(5);
      expect(new Set(messages.flatMap(({ data }) => data.trackIds)).size).toBe(5);
    });

    it('have a chain for each search, and follow its edits', async () => {
      const { store, clock, me, create, save, add, run, sent } = await start();
      const { id } = await create({ eventTypes });
      const ferry = await save('ferry');
      await add('Harbor', 0, 1);
      const created = await store.changes.head();
      const harbor = await save('harbor');
      await add('Ferry', 1, 3);
      await add('Harbor', 3, 4);
      await run();
      const chain = async (searchId: string) =>
        (await sent(id))
          .filter(({ data }) => data.savedSearchId === searchId)
          .map(({ data }) => data);
      expect(await chain(ferry)).toMatchObject([
        { count: 2, trackIds: [trackId(2), trackId(1)], previousSeq: 0 },
      ]);
      expect(await chain(harbor)).toMatchObject([
        { count: 1, trackIds: [trackId(3)], previousSeq: created },
      ]);
      await store.savedSearches.update(
        ferry,
        { query: '{"query":"harbor"}', name: 'New' },
        ANY,
        me,
      );
      await add('Ferry', 4, 6);
      await add('Harbor', 6, 7);
      clock.advance(MINUTE);
      await run();
      const [first, second] = await chain(ferry);
      expect(second).toMatchObject({
        name: 'New',
        count: 1,
        trackIds: [trackId(6)],
        previousSeq: first.seq,
      });
    });

    it('report only live tracks that were created since notify went on', async () => {
      const { store, clock, me, create, save, add, run, sent } = await start();
      const { id } = await create({ eventTypes });
      await add('Ferry', 0, 1);
      const position = await store.changes.head();
      const searchId = await save('ferry', { notify: false });
      await add('Ferry', 1, 2);
      await run();
      await store.savedSearches.update(searchId, { notify: true }, ANY, me);
      await add('Ferry', 2, 4);
      await setTrackState(store, trackId(3), 'taken_down', BY);
      await run();
      expect((await sent(id)).map(({ data }) => data.trackIds)).toEqual([[trackId(2)]]);
      await store.savedSearches.update(searchId, { notify: false }, ANY, me);
      await add('Ferry', 4, 5);
      clock.advance(MINUTE);
      await run();
      await store.savedSearches.update(searchId, { notify: true }, ANY, me);
      await add('Ferry', 5, 6);
      await run();
      const messages = await sent(id);
      expect(messages.map(({ data }) => data.trackIds)).toEqual([[trackId(2)], [trackId(5)]]);
      expect(brokenLinks(messages, position)).toEqual([]);
      await store.savedSearches.delete(searchId, ANY, me);
      await add('Ferry', 6, 7);
      clock.advance(MINUTE);
      await run();
      expect(await sent(id)).toHaveLength(2);
    });

    it('go to endpoints of the same client and mode, from when these began', async () => {
      const { client, clock, me, create, save, add, run, sent } = await start();
      const inTest = asClient(client.id, 'test');
      const live = await create({ eventTypes });
      const test = await create({ eventTypes }, inTest);
      await save('ferry');
      await save('ferry', { by: inTest });
      await add('Ferry', 0, 1);
      await run();
      const idsOf = async (webhookId: string, user = me) =>
        (await sent(webhookId, user)).map(({ data }) => [data.mode, ...data.trackIds]);
      expect(await idsOf(live.id)).toEqual([['live', trackId(0)]]);
      expect(await idsOf(test.id, inTest)).toEqual([['test', trackId(0)]]);
      await add('Ferry', 1, 2);
      const later = await create({ eventTypes });
      await add('Ferry', 2, 3);
      clock.advance(MINUTE);
      await run();
      expect((await idsOf(live.id)).slice(1)).toEqual([['live', trackId(2), trackId(1)]]);
      expect(await idsOf(later.id)).toEqual([['live', trackId(2)]]);
    });

    it('are made only while the feature is on', async () => {
      const { store, client, clock, create, save, add, run, sent } = await start();
      const { id } = await create({ eventTypes });
      await save('ferry');
      const switchTo = (features: Client['features']) =>
        store.clients.update(client.id, { features }, BY);
      await switchTo(['webhooks']);
      await add('Ferry', 0, 1);
      await run();
      await switchTo(['webhooks', 'saved-searches']);
      const position = await store.changes.head();
      await add('Ferry', 1, 2);
      clock.advance(MINUTE);
      await run();
      expect((await sent(id)).map(({ data }) => [data.previousSeq, data.trackIds])).toEqual([
        [position, [trackId(1)]],
      ]);
    });

    it('are made once by two nodes', async () => {
      const harness = await start();
      const { create, save, add, run, sent } = harness;
      const { id } = await create({ eventTypes });
      await save('ferry');
      await add('Ferry', 0, 3);
      await Promise.all([run(), run(), run()]);
      expect((await sent(id)).map(({ data }) => data.count)).toEqual([3]);
    });
  });
}

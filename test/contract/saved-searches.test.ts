import { describe, expect, it } from 'vitest';
import type { Mode, WriteContext } from '../../src/common/caller.ts';
import { StaveError } from '../../src/common/errors.ts';
import { newSortableId } from '../../src/common/ids.ts';
import {
  MAX_SAVED_SEARCHES,
  type SavedSearch,
} from '../../src/features/saved-searches/saved-search.ts';
import type { Store } from '../../src/features/store.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import {
  expectNotFound,
  type Harness,
  harnessOf,
  numbersOf,
  someClient,
} from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';
import { ANY, asClient } from './collections-support.ts';

const QUERY = '{"query":"night","filterSlugs":["b","a"]}';

/** Adds a client and three tracks, and a function that saves searches. */
async function withClient({ store, clock }: Harness) {
  const client = someClient();
  await store.clients.create(client, BY);
  await importAll(store, deliveries(0, 3));
  const me = asClient(client.id);
  const save = (
    name: string,
    { by = me, at = store }: { by?: WriteContext<never>; at?: Store } = {},
  ) =>
    at.savedSearches.create(
      { id: newSortableId(clock.now()), name, query: QUERY, notify: false },
      by,
    );
  const inMode = (mode: Mode) => asClient(client.id, mode);
  return { client, me, save, inMode };
}

/** The row id of the nth track. */
async function rowId(store: Store, n: number): Promise<number> {
  return (await numbersOf(store, [deliveries(n, n + 1)[0]!.id]))[0]!;
}

/** How many of the calls succeeded, and the kinds of the errors of the others. */
async function outcomesOf(calls: readonly Promise<unknown>[]) {
  const results = await Promise.allSettled(calls);
  const failures = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  return { done: calls.length - failures.length, kinds: [...new Set(failures.map((e) => e.kind))] };
}

const isVersion = (expected: number) => (version: number) => {
  if (version !== expected) throw new StaveError('precondition_failed', 'no');
};

for (const adapter of ADAPTERS) {
  describe(`saved searches on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are kept as they were sent, newest first, with all present tracks seen', async () => {
      const harness = await open();
      const { store, clock } = harness;
      const { me, save } = await withClient(harness);
      const head = await store.changes.head();
      const first = await save('One');
      expect(first).toMatchObject({ name: 'One', query: QUERY, notify: false, version: 1 });
      expect(first).toMatchObject({ seenRowId: await rowId(store, 2), seenAt: clock.now() });
      clock.advance(1);
      const second = await save('Two');
      expect(await store.savedSearches.find(first.id, me)).toEqual(first);
      const list = (offset: number, limit: number) =>
        store.savedSearches.list(me, { offset, limit });
      expect(await list(0, 10)).toEqual({ searches: [second, first], total: 2 });
      expect(await list(1, 1)).toEqual({ searches: [first], total: 2 });
      expect(await store.changes.head()).toBe(head);
    });

    it('belong to one client and one mode', async () => {
      const harness = await open();
      const { store } = harness;
      const { client, save, inMode } = await withClient(harness);
      const other = someClient();
      await store.clients.create(other, BY);
      const { id } = await save('One');
      for (const stranger of [inMode('test'), asClient(other.id)]) {
        const { savedSearches } = store;
        await expectNotFound(
          savedSearches.find(id, stranger),
          savedSearches.update(id, { name: 'X' }, ANY, stranger),
          savedSearches.see(id, undefined, stranger),
          savedSearches.delete(id, ANY, stranger),
        );
        expect((await savedSearches.list(stranger, { offset: 0, limit: 9 })).total).toBe(0);
        await save('One', { by: stranger });
      }
      const records = await store.savedSearches.ofClient(client.id);
      expect(records.map(({ clientId, mode }) => [clientId, mode]).sort()).toEqual([
        [client.id, 'live'],
        [client.id, 'test'],
      ]);
      await store.clients.delete(client.id, BY);
      await expectNotFound(store.savedSearches.ofClient(client.id));
      expect(await store.savedSearches.ofClient(other.id)).toHaveLength(1);
    });

    it('have names that differ in more than their case', async () => {
      const harness = await open();
      const { store } = harness;
      const { me, save } = await withClient(harness);
      const { id } = await save('Café Straße');
      await save('Another');
      const conflict = { kind: 'conflict' };
      await expect(save('CAFE\u0301 STRASSE')).rejects.toMatchObject(conflict);
      const rename = (name: string) => store.savedSearches.update(id, { name }, ANY, me);
      await expect(rename('ANOTHER')).rejects.toMatchObject(conflict);
      expect(await rename('café straße')).toMatchObject({ name: 'café straße', version: 2 });
    });

    it('keep their limits and their names if several are saved at once', async () => {
      const harness = await open();
      const { store, another } = harness;
      const { me, save } = await withClient(harness);
      const stores = [store, await another()];
      const same = Array.from({ length: 10 }, (_, n) => save('Same', { at: stores[n % 2]! }));
      expect(await outcomesOf(same)).toEqual({ done: 1, kinds: ['conflict'] });
      for (let n = 1; n < MAX_SAVED_SEARCHES - 1; n++) await save(`Search ${n}`);
      const last = Array.from({ length: 10 }, (_, n) => save(`Last ${n}`, { at: stores[n % 2]! }));
      expect(await outcomesOf(last)).toEqual({ done: 1, kinds: ['conflict'] });
      const { total } = await store.savedSearches.list(me, { offset: 0, limit: 1 });
      expect(total).toBe(MAX_SAVED_SEARCHES);
    });

    it('are changed by one of several edits of a version', async () => {
      const harness = await open();
      const { store, clock, another } = harness;
      const { me, save } = await withClient(harness);
      const { id, createdAt } = await save('One');
      clock.advance(5);
      const stores = [store, await another()];
      const edits = Array.from({ length: 8 }, (_, n) =>
        stores[n % 2]!.savedSearches.update(id, { query: `{"query":"${n}"}` }, isVersion(1), me),
      );
      expect(await outcomesOf(edits)).toEqual({ done: 1, kinds: ['precondition_failed'] });
      const edited = await store.savedSearches.find(id, me);
      expect(edited).toMatchObject({ version: 2, createdAt, updatedAt: clock.now() });
      const remove = (version: number) => store.savedSearches.delete(id, isVersion(version), me);
      await expect(remove(1)).rejects.toMatchObject({ kind: 'precondition_failed' });
      await remove(2);
      await expectNotFound(remove(2));
    });

    describe('mark tracks as seen', () => {
      it('up to now, and never go back', async () => {
        const harness = await open();
        const { store, clock } = harness;
        const { me, save } = await withClient(harness);
        const saved = await save('One');
        const before = await store.changes.head();
        await importAll(store, deliveries(3, 6));
        clock.advance(7);
        const seen = await store.savedSearches.see(saved.id, undefined, me);
        const seenRowId = await rowId(store, 5);
        expect(seen).toEqual({ ...saved, seenRowId, seenAt: clock.now() } satisfies SavedSearch);
        expect(await store.savedSearches.see(saved.id, before, me)).toMatchObject({ seenRowId });
        expect(await store.savedSearches.see(saved.id, 0, me)).toMatchObject({ seenRowId });
      });

      it('up to a change, whatever it changed', async () => {
        const harness = await open();
        const { store } = harness;
        const { me, save } = await withClient(harness);
        const { id } = await save('One');
        const seqs: number[] = [];
        for (const n of [3, 4, 5]) {
          await importAll(store, deliveries(n, n + 1));
          await setTrackState(store, deliveries(n, n + 1)[0]!.id, 'taken_down', BY);
          seqs.push(await store.changes.head());
        }
        const numbers: number[] = [];
        for (const n of [3, 4, 5]) {
          const record = deliveries(n, n + 1)[0]!.id;
          await setTrackState(store, record, 'live', BY);
          numbers.push(await rowId(store, n));
        }
        const see = async (seq: number) => (await store.savedSearches.see(id, seq, me)).seenRowId;
        expect(await see(seqs[0]! - 1)).toBe(numbers[0]);
        expect(await see(seqs[1]!)).toBe(numbers[1]);
        expect(await see(seqs[2]! + 1_000)).toBe(numbers[2]);
      });

      it('up to a change that the log has, although the creations before it have expired', async () => {
        const harness = await open();
        const { store, clock } = harness;
        const { me, save } = await withClient(harness);
        const { id, seenRowId } = await save('One');
        await importAll(store, deliveries(3, 5));
        const expired = (await store.changes.head()) - 1;
        clock.advance(1_000);
        const until = clock.now();
        await setTrackState(store, deliveries(0, 1)[0]!.id, 'taken_down', BY);
        const kept = await store.changes.head();
        while ((await store.changes.expire(until)) > 0);
        const see = async (seq: number) => (await store.savedSearches.see(id, seq, me)).seenRowId;
        expect(await see(expired)).toBe(seenRowId);
        expect(await see(kept)).toBe(await rowId(store, 4));
        await importAll(store, deliveries(5, 7));
        expect(await see(kept)).toBe(await rowId(store, 4));
      });

      it('up to a change, although tracks from before it were removed and delivered again', async () => {
        const harness = await open();
        const { store, clock } = harness;
        const { me, save } = await withClient(harness);
        const { id } = await save('One');
        await importAll(store, [delivery(3, { source: 'other' })]);
        const other = await store.changes.head();
        await importAll(store, deliveries(4, 5));
        const last = await store.changes.head();
        clock.advance(1);
        await store.catalog.removeSource(delivery(0).source, BY);
        await importAll(store, deliveries(0, 3));
        const again = await store.changes.head();
        await importAll(store, deliveries(4, 6));
        const kept = await rowId(store, 3);
        const see = async (seq: number) => (await store.savedSearches.see(id, seq, me)).seenRowId;
        expect(await see(0)).toBe(kept - 1);
        expect(await see(other - 1)).toBe(kept - 1);
        expect(await see(other)).toBe(kept);
        expect(await see(last)).toBe(kept);
        expect(await see(again)).toBe(await rowId(store, 2));
      });

      it('none of the tracks that were all delivered again since', async () => {
        const harness = await open();
        const { store, clock } = harness;
        const { me, save } = await withClient(harness);
        const { id, seenRowId } = await save('One');
        await importAll(store, deliveries(3, 5));
        const seq = await store.changes.head();
        clock.advance(1);
        await store.catalog.removeSource(delivery(0).source, BY);
        await importAll(store, deliveries(0, 5));
        const seen = await store.savedSearches.see(id, seq, me);
        expect(seen.seenRowId).toBeLessThan(await rowId(store, 0));
        expect(seen.seenRowId).toBeGreaterThanOrEqual(seenRowId);
      });
    });
  });
}

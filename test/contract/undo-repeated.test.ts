import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TrackRecord } from '../../src/features/catalog/catalog-stores.ts';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { allChanges, harnessOf } from '../harness/stores.ts';
import { until } from '../harness/until.ts';
import { NOTHING, named, pruneAll, recordsOf } from './batches-support.ts';

for (const adapter of ADAPTERS) {
  describe(`undo on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('continues after it was killed, and does nothing when it is repeated', async () => {
      const { store, another } = await open();
      await importAll(store, deliveries(0, 1_500), 'first');
      await importAll(store, deliveries(0, 1_500).map(named('two')), 'second');
      // The undo reads the log backwards, so this is one of its last changes.
      await importAll(store, [delivery(100, { name: 'three' })], 'third');
      const dies = () => {
        throw new Error('killed');
      };
      const undoing = store.batches.undo('second', { by: BY, onSkipped: dies });
      await expect(undoing).rejects.toThrow('killed');
      const left = (await store.batches.latest(1))[0]!;
      expect(left.undoes).toBe('second');
      expect(left.updated).toBeGreaterThan(500);
      const rest = await (await another()).batches.undo('second', { by: BY });
      expect(rest.updated + left.updated).toBe(1_499);
      expect(rest.skipped).toBe(1);
      const undos = (await store.batches.latest(10)).filter(({ undoes }) => undoes !== null);
      expect(undos).toMatchObject([{ updated: 1_499 }]);
      const head = await store.changes.head();
      expect(await store.batches.undo('second', { by: BY })).toEqual({ ...NOTHING, skipped: 1 });
      expect(await store.changes.head()).toBe(head);
    });

    it('of an import that goes on is not listed as its undo until it is repeated', async () => {
      const { store } = await open();
      const session = await store.catalog.openDelivery(BY, 'import');
      await session.deliver(deliveries(0, 10));
      // A slow machine commits deliveries later.
      await until(async () => (await store.batches.latest(1))[0]?.created === 10);
      expect(await store.batches.undo('import', { by: BY })).toMatchObject({ withdrawn: 10 });
      const undoneBy = async () =>
        (await store.batches.latest(9)).find(({ id }) => id === 'import')!.undoneBy;
      expect(await undoneBy()).not.toBeNull();
      await session.deliver(deliveries(10, 15));
      await session.close();
      expect(await undoneBy()).toBeNull();
      expect(await store.batches.undo('import', { by: BY })).toMatchObject({ withdrawn: 5 });
      expect(await undoneBy()).not.toBeNull();
    });

    it('shares one batch with a concurrent undo of the same import', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 150), 'import');
      const both = await Promise.all([1, 2].map(() => store.batches.undo('import', { by: BY })));
      expect(both.map(({ skipped }) => skipped)).toEqual([0, 0]);
      expect(both[0]!.withdrawn + both[1]!.withdrawn).toBe(150);
      const [undo, ...others] = await store.batches.latest(10);
      expect(undo).toMatchObject({ undoes: 'import', withdrawn: 150 });
      expect(others.map(({ id }) => id)).toEqual(['import']);
      const withdrawals = (await allChanges(store)).filter(({ kind }) => kind === 'withdrawn');
      expect(new Set(withdrawals.map(({ batchId }) => batchId))).toEqual(new Set([undo!.id]));
    });

    it('of all imports, newest first, restores each earlier state of the catalog', async () => {
      const change = fc.record({
        n: fc.nat(5),
        name: fc.constantFrom('A', 'B', 'C'),
        audioKey: fc.constantFrom(null, `${'a'.repeat(64)}.mp3`, `${'b'.repeat(64)}.mp3`),
        filters: fc.constantFrom<TrackDelivery['filters'][]>([], [{ type: 'mood', name: 'Calm' }]),
      });
      const batch = fc.record({
        changes: fc.uniqueArray(change, { selector: ({ n }) => n, maxLength: 6 }),
        prune: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 5 }), async (batches) => {
          await using harness = await open();
          const { store } = harness;
          const states: (TrackRecord | undefined)[][] = [];
          for (const [i, { changes, prune }] of batches.entries()) {
            states.push(await recordsOf(store, 6));
            const wanted = changes.map(({ n, ...rest }) =>
              delivery(n, { ...rest, slug: `t-${n}` }),
            );
            if (prune) await pruneAll(store, wanted, `b${i}`);
            else await importAll(store, wanted, `b${i}`);
          }
          const known = new Set((await store.batches.latest(10)).map(({ id }) => id));
          for (let i = batches.length - 1; i >= 0; i--) {
            if (!known.has(`b${i}`)) continue;
            const { skipped } = await store.batches.undo(`b${i}`, { by: BY });
            expect(skipped).toBe(0);
            const records = await recordsOf(store, 6);
            // A track that did not exist before is withdrawn.
            const there = states[i]!.map((before, n) => {
              if (before !== undefined) return before;
              return records[n] && { ...records[n], state: 'withdrawn' };
            });
            expect(records).toEqual(there);
          }
        }),
        { numRuns: 12 },
      );
    }, 180_000);
  });
}

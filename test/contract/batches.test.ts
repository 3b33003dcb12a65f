import { describe, expect, it } from 'vitest';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { NOTHING, named, tableOf } from './batches-support.ts';

for (const adapter of ADAPTERS) {
  describe(`batches on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are listed with their changes, newest first, if they changed anything', async () => {
      const { store, clock } = await open();
      await importAll(store, deliveries(0, 3), 'first');
      await importAll(store, deliveries(0, 3), 'same');
      clock.advance(1);
      const session = await store.catalog.openDelivery(BY, 'second', 'full.ndjson, more.csv');
      await session.deliver([delivery(0, { bpm: '99' }), delivery(7)]);
      await session.withdrawAbsent('label');
      await session.close();
      await importAll(store, [delivery(1)], 'third');
      const none = {
        created: 0,
        updated: 0,
        withdrawn: 0,
        restored: 0,
        undoes: null,
        undoneBy: null,
        expired: false,
        by: BY,
      };
      expect(await store.batches.latest(10)).toEqual([
        { ...none, id: 'third', at: clock.now(), label: '', restored: 1 },
        {
          ...none,
          id: 'second',
          at: clock.now(),
          label: 'full.ndjson, more.csv',
          created: 1,
          updated: 1,
          withdrawn: 2,
        },
        { ...none, id: 'first', at: clock.now() - 1_000, label: '', created: 3 },
      ]);
      expect(await store.batches.latest(1)).toMatchObject([{ id: 'third' }]);
    });

    it('do not contain a batch that could not be written', async () => {
      const { store } = await open();
      const session = await store.catalog.openDelivery(BY, 'b');
      // Alone, because a slow machine commits an earlier delivery before this one.
      await expect(session.deliver([delivery(2, { durationSeconds: -1 })])).rejects.toThrow();
      expect(await store.batches.latest(10)).toEqual([]);
      await session.deliver([delivery(1)]);
      await session.close();
      expect(await store.batches.latest(10)).toMatchObject([{ id: 'b', created: 1 }]);
    });
  });

  describe(`the expiry of batches on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('deletes the former tracks of old batches, which stay in the list', async () => {
      const { store, clock } = await open();
      await importAll(store, deliveries(0, 5), 'first');
      await importAll(store, deliveries(0, 5).map(named('two')), 'second');
      clock.advance(0.01);
      await importAll(store, deliveries(0, 5).map(named('three')), 'third');
      expect(await store.batches.expire(clock.now())).toBe(2);
      const kept = async () => (await store.batches.latest(10)).map((one) => [one.id, one.expired]);
      const all = [
        ['third', false],
        ['second', true],
        ['first', true],
      ];
      expect(await kept()).toEqual(all);
      expect(await store.tables.count(tableOf('former_tracks'))).toBe(5);
      await expect(store.batches.undo('second', { by: BY })).rejects.toMatchObject({
        kind: 'gone',
        message:
          'The import second can no longer be undone, because the former content of its tracks is no longer kept.',
      });
      await expect(store.batches.undo('none', { by: BY })).rejects.toMatchObject({
        kind: 'not_found',
        message:
          'There is no import none that changed something: `stave import list` shows those that did.',
      });
      expect(await store.batches.undo('third', { by: BY })).toEqual({ ...NOTHING, updated: 5 });
      expect(await store.batches.expire(clock.now())).toBe(0);
      // Those that can be undone stay in any case.
      await store.batches.forget(clock.now() + 1);
      expect(await kept()).toEqual([[expect.any(String), false], ...all.slice(0, 1)]);
    });

    it('keeps the newest batches, up to three times the size of the catalog', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 5), 'create');
      for (let i = 0; i < 6; i++) {
        await importAll(store, deliveries(0, 5).map(named(`v${i}`)), `b${i}`);
      }
      expect(await store.batches.expire(0)).toBe(3);
      const kept = (await store.batches.latest(10)).filter(({ expired }) => !expired);
      expect(kept.map(({ id }) => id)).toEqual(['b5', 'b4', 'b3', 'create']);
      expect(await store.tables.count(tableOf('former_tracks'))).toBe(15);
    });

    it('ends between two transactions when it is aborted', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 3), 'first');
      expect(await store.batches.expire(Number.MAX_SAFE_INTEGER, AbortSignal.abort())).toBe(0);
      expect(await store.batches.latest(10)).toHaveLength(1);
    });
  });
}

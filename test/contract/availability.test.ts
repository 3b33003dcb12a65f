import { describe, expect, it } from 'vitest';
import type { AvailabilityEntry } from '../../src/features/availability/availability.ts';
import type { Store } from '../../src/features/store.ts';
import { BY, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';

const GERMANY: AvailabilityEntry[] = [{ territories: ['AT', 'DE'], until: Date.UTC(2100, 0, 1) }];
const WORLD: AvailabilityEntry[] = [{ excludedTerritories: ['US'], from: 0 }];

for (const adapter of ADAPTERS) {
  describe(`stored availability on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    const stored = async (store: Store) =>
      (await store.catalog.trackRecord(delivery(1).id))?.availability;

    it('stays if a delivery lacks it, and is removed by an empty list', async () => {
      const { store } = await open();
      const known = { availability: GERMANY };
      expect(await importAll(store, [delivery(1, known)], 'a')).toEqual(['created']);
      expect(await stored(store)).toEqual(GERMANY);
      expect(await importAll(store, [delivery(1, known)], 'b')).toEqual(['unchanged']);
      expect(await importAll(store, [delivery(1)], 'c')).toEqual(['unchanged']);
      expect(await importAll(store, [delivery(1, { name: 'Other' })], 'd')).toEqual(['updated']);
      expect(await stored(store)).toEqual(GERMANY);
      expect(await importAll(store, [delivery(1, { availability: [] })], 'e')).toEqual(['updated']);
      expect(await stored(store)).toEqual([]);
    });

    it('is restored by an undo', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1)], 'a');
      await importAll(store, [delivery(1, { availability: GERMANY })], 'b');
      await importAll(store, [delivery(1, { availability: WORLD })], 'c');
      await store.batches.undo('c', { by: BY });
      expect(await stored(store)).toEqual(GERMANY);
      await store.batches.undo('b', { by: BY });
      expect(await stored(store)).toEqual([]);
    });
  });
}

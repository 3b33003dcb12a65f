import { describe, expect, it } from 'vitest';
import type { LiveDocument } from '../../src/features/catalog/catalog-stores.ts';
import { allOf } from '../harness/all-of.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';

for (const adapter of ADAPTERS) {
  describe(`the walk over live documents on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('has each live track after a row id, in the order of row ids', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 1_200));
      await setTrackState(store, trackId(7), 'taken_down', BY);
      await setTrackState(store, trackId(1_199), 'taken_down', BY);
      const all = (await allOf(store.catalog.liveDocuments(0))).flat();
      const rowIds = all.map(({ rowId }) => rowId);
      expect(rowIds).toEqual(rowIds.toSorted((a, b) => a - b));
      expect(rowIds).toHaveLength(1_198);
      expect(all.map(({ document }) => document)).toEqual(await store.catalog.documents(rowIds));
      const after = rowIds[700]!;
      const later = (await allOf(store.catalog.liveDocuments(after))).flat();
      expect(later).toEqual(all.slice(701));
      expect(await allOf(store.catalog.liveDocuments(rowIds.at(-1)!))).toEqual([]);
    });

    it('shows what was committed before a slice is asked for', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 1_200));
      const walk = store.catalog.liveDocuments(0)[Symbol.asyncIterator]();
      const read: LiveDocument[] = (await walk.next()).value;
      await importAll(store, [delivery(1_150, { name: 'Renamed' }), delivery(1_200)], 'later');
      await setTrackState(store, trackId(1_151), 'taken_down', BY);
      for (let next = await walk.next(); !next.done; next = await walk.next()) {
        read.push(...next.value);
      }
      const documents = new Map(read.map(({ document }) => [document.id, document]));
      expect(documents.get(trackId(1_150))!.json).toContain('"name":"Renamed"');
      expect(documents.has(trackId(1_151))).toBe(false);
      expect(documents.has(trackId(1_200))).toBe(true);
      expect(read).toHaveLength(1_200);
    });
  });
}

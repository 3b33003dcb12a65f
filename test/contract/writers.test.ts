import { describe, expect, it } from 'vitest';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import type { Writer } from '../../src/features/catalog/writers.ts';
import type { Store } from '../../src/features/store.ts';
import { BY, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, kindsAfter } from '../harness/stores.ts';
import { NOTHING, pruneAll, tableOf } from './batches-support.ts';

const ISWC = 'T-034.524.680-1';
const OTHER_ISWC = 'T-000.000.001-0';

function writer(name: string, values: Partial<Writer> = {}): Writer {
  return { name, role: 'COMPOSER', ipi: null, society: null, share: null, ...values };
}

const ANN = writer('Ann', { ipi: '00014107338', society: 'GEMA', share: 5_000 });
const BOB = writer('Bob', { share: 5_000 });
const KNOWN = { iswc: ISWC, writers: [ANN, writer('Cy'), BOB] };

/** What is stored of each track: its ISWC, and its writers in order. */
async function worksOf(store: Store): Promise<[string | null, Writer[]][]> {
  const rowsOf = async (name: string) => {
    const table = tableOf(name);
    const rows = await store.tables.rowsAfter(table, null, 1_000);
    return rows.map((row) =>
      Object.fromEntries(table.columns.map((column, i) => [column, row[i]])),
    );
  };
  const writers = await rowsOf('track_writers');
  return (await rowsOf('tracks')).map(({ row_id, iswc }) => [
    iswc as string | null,
    writers
      .filter(({ track_row_id }) => track_row_id === row_id)
      .map(({ track_row_id: _, position: __, ...rest }) => rest as unknown as Writer),
  ]);
}

for (const adapter of ADAPTERS) {
  describe(`the writers of tracks on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    /** Delivers one track, and returns the outcome and what is stored then. */
    async function deliver(store: Store, members: Partial<TrackDelivery>, batchId = 'batch') {
      const [outcome] = await importAll(store, [delivery(1, members)], batchId);
      return [outcome, ...(await worksOf(store))];
    }

    it('are stored with the ISWC, and stay if a delivery lacks them', async () => {
      const { store } = await open();
      const stored = [ISWC, [ANN, BOB]];
      expect(await deliver(store, KNOWN)).toEqual(['created', stored]);
      expect(await deliver(store, KNOWN)).toEqual(['unchanged', stored]);
      expect(await deliver(store, {})).toEqual(['unchanged', stored]);
      expect(await deliver(store, { name: 'Other' })).toEqual(['updated', stored]);
      const part = { writers: [writer('Ann', { share: 2_500 })] };
      expect(await deliver(store, part)).toEqual(['updated', [ISWC, [{ ...ANN, share: 2_500 }]]]);
    });

    it('are removed by an empty list, and the ISWC by an empty text', async () => {
      const { store } = await open();
      await deliver(store, KNOWN);
      expect(await deliver(store, { writers: [] })).toEqual(['updated', [ISWC, []]]);
      expect(await deliver(store, { writers: [] })).toEqual(['unchanged', [ISWC, []]]);
      expect(await deliver(store, { iswc: '' })).toEqual(['updated', [null, []]]);
      expect(await deliver(store, { iswc: '', writers: [] })).toEqual(['unchanged', [null, []]]);
      expect(await deliver(store, KNOWN)).toEqual(['updated', [ISWC, [ANN, BOB]]]);
    });

    it('are stored for each track of a large delivery', async () => {
      const { store } = await open();
      const all = Array.from({ length: 300 }, (_, n) =>
        n % 3 === 0 ? delivery(n) : delivery(n, { writers: [{ ...ANN, share: n }] }),
      );
      await importAll(store, all);
      const stored = await worksOf(store);
      expect(stored.map(([, writers]) => writers.map(({ share }) => share))).toEqual(
        all.map((_, n) => (n % 3 === 0 ? [] : [n])),
      );
    });

    it('make an update of a track whose other content is the same', async () => {
      const { store } = await open();
      await deliver(store, {}, 'first');
      const head = await store.changes.head();
      const session = await store.catalog.openDelivery(BY, 'preview');
      expect(await session.preview([delivery(1, { writers: [ANN] })])).toEqual(['updated']);
      await session.close();
      expect((await deliver(store, { writers: [ANN] }, 'second'))[0]).toBe('updated');
      expect((await deliver(store, { iswc: ISWC }, 'third'))[0]).toBe('updated');
      expect(await kindsAfter(store, head)).toEqual(Array(2).fill('track.updated'));
      // Partners do not see them.
      const [third, second] = await store.changes.latest(2);
      expect([second!.changed, third!.changed]).toEqual([[], []]);
      const again = await store.catalog.openDelivery(BY, 'preview');
      expect(await again.preview([delivery(1, { iswc: ISWC, writers: [ANN] })])).toEqual([
        'unchanged',
      ]);
      await again.close();
    });

    it('are restored by an undo, and the track is as the former import delivered it', async () => {
      const { store } = await open();
      await importAll(store, [delivery(0), delivery(1, KNOWN), delivery(2, KNOWN)], 'first');
      const before = await worksOf(store);
      const after = [
        delivery(0, KNOWN),
        delivery(1, { iswc: '', writers: [] }),
        delivery(2, { name: 'Other', iswc: OTHER_ISWC, writers: [{ ...ANN, name: 'Anna' }] }),
      ];
      expect(await importAll(store, after, 'second')).toEqual(Array(3).fill('updated'));
      expect(await worksOf(store)).not.toEqual(before);
      expect(await store.batches.undo('second', { by: BY })).toEqual({ ...NOTHING, updated: 3 });
      expect(await worksOf(store)).toEqual(before);
      const again = [delivery(0), delivery(1, KNOWN), delivery(2, KNOWN)];
      expect(await importAll(store, again, 'third')).toEqual(Array(3).fill('unchanged'));
      await store.check(true);
    });

    it('stay if an undo restores other content', async () => {
      const { store } = await open();
      await deliver(store, KNOWN, 'first');
      await deliver(store, { name: 'Other' }, 'second');
      await store.batches.undo('second', { by: BY });
      expect(await worksOf(store)).toEqual([[ISWC, [ANN, BOB]]]);
      await pruneAll(store, [delivery(2)], 'third');
      expect((await deliver(store, { writers: [BOB] }, 'fourth'))[0]).toBe('updated');
      await store.batches.undo('fourth', { by: BY });
      expect((await worksOf(store))[0]).toEqual([ISWC, [ANN, BOB]]);
    });

    it('are removed with their source', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1, KNOWN), delivery(2, { ...KNOWN, source: 'other' })]);
      await store.catalog.removeSource('label', BY);
      expect(await worksOf(store)).toEqual([[ISWC, [ANN, BOB]]]);
      expect(await store.tables.count(tableOf('track_writers'))).toBe(2);
    });
  });
}

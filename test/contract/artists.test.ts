import { describe, expect, it } from 'vitest';
import { derivedId } from '../../src/common/ids.ts';
import { TABLES } from '../../src/engines/sql/copied-tables.ts';
import type { DeliveredCredit } from '../../src/features/catalog/track.ts';
import { delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';
import { testRandom } from '../harness/test-random.ts';

const MAX_NAME_LENGTH = 1_000;

for (const adapter of ADAPTERS) {
  describe(`artists on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('have the longest names, even if these differ only at their end', async () => {
      const { store } = await open();
      const random = testRandom('names of artists');
      // Random, because databases compress repetitions.
      const start = Array.from({ length: MAX_NAME_LENGTH - 1 }, () =>
        String.fromCharCode(random.integer(0x4e00, 0x9fff)),
      ).join('');
      const names = [`${start}一`, `${start}二`];
      const artists = names.map((name, n): DeliveredCredit => {
        const role = n === 0 ? 'COMPOSER' : 'LYRICIST';
        return { id: derivedId('one artist'), name, role, isPrimary: n === 0, externalId: null };
      });
      await importAll(store, [delivery(1, { artists })], 'first');
      await importAll(store, [delivery(2, { artists })], 'second');
      for (const n of [1, 2]) {
        const { track } = (await store.catalog.trackRecord(trackId(n)))!;
        expect(track.artists.map(({ name }) => name)).toEqual(names);
      }
    });

    it('have a row for each name, with the external id of the delivery that created it', async () => {
      const { store } = await open();
      const id = derivedId('one artist');
      const credited = (n: number, name: string, externalId: string | null) =>
        delivery(n, { artists: [{ id, name, role: 'COMPOSER', isPrimary: true, externalId }] });
      await importAll(store, [credited(1, 'Ann', 'a'), credited(2, 'Anne', null)], 'first');
      await importAll(store, [credited(3, 'Ann', null), credited(4, 'Anne', 'a')], 'second');
      const artists = TABLES.find(({ name }) => name === 'artists')!;
      const rows = await store.tables.rowsAfter(artists, null, 10);
      expect(rows.map(([, ...row]) => row)).toEqual([
        [id, 'Ann', 'a'],
        [id, 'Anne', null],
      ]);
    });
  });
}

import { describe, expect, it } from 'vitest';
import { derivedId } from '../../src/common/ids.ts';
import type { Store } from '../../src/features/store.ts';
import { delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';

const by = (...names: string[]) => ({
  artists: names.map((name) => ({
    ...{ id: derivedId(name), name, role: 'MAIN_ARTIST' as const },
    ...{ isPrimary: true, externalId: null },
  })),
});

for (const adapter of ADAPTERS) {
  describe(`the twins of tracks on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const twinsOf = async (store: Store, slugs: string[], limit = 10) => {
      const rowIds = (await store.trackFinder.named(slugs)).flat();
      const { twins, hasMoreTwins } = await store.trackFinder.twinsOf(rowIds, limit);
      return { hasMoreTwins, twins: twins.map(({ slug, hasSameIsrc }) => [slug, hasSameIsrc]) };
    };

    it('have the same ISRC, or the same name, an artist and nearly the same length', async () => {
      const { store } = await open();
      const same = { name: 'Night Drive', durationSeconds: 60, ...by('Mara', 'Jo') };
      await importAll(store, [
        delivery(1, { ...same, isrc: 'DEA120000001' }),
        delivery(2, { ...same, name: 'NIGHT  drive!', ...by('Jo', 'Mara'), source: 'other' }),
        delivery(3, { name: 'Nachtfahrt', isrc: 'DEA120000001', source: 'other', ...by('Mara') }),
        delivery(4, { ...same, isrc: 'DEA120000001' }),
        // Another supplier credits one artist, in another form and with an id of its own, and rounds the length.
        delivery(5, { ...same, durationSeconds: 62, source: 'c', ...by('MÁRA') }),
        delivery(6, { ...same, durationSeconds: 58, ...by('Jo', 'Ann') }),
        delivery(10, { ...same, durationSeconds: 63 }),
        delivery(11, { ...same, durationSeconds: 57 }),
        delivery(12, { ...same, ...by('Marah') }),
        delivery(7, { name: 'Alone', ...by('Mara') }),
        // Effects of one name are many recordings.
        delivery(8, { name: 'Rain', type: 'sfx', artists: [] }),
        delivery(9, { name: 'Rain', type: 'sfx', artists: [] }),
      ]);
      const slugs = await Promise.all(
        [1, 2, 3, 4, 7, 8, 5, 6].map(async (i) => {
          const record = await store.catalog.trackRecord(delivery(i).id);
          return record!.track.slug;
        }),
      );
      const [one, two, three, four, alone, rain, five, six] = slugs as [string, ...string[]];
      expect(await twinsOf(store, [one])).toEqual({
        twins: [
          [three, true],
          [four, true],
          [two, false],
          [five, false],
          [six, false],
        ],
        hasMoreTwins: false,
      });
      expect(await twinsOf(store, [one, three!, four!])).toEqual({
        twins: [two, five, six].map((slug) => [slug, false]),
        hasMoreTwins: false,
      });
      expect(await twinsOf(store, [one], 2)).toMatchObject({ hasMoreTwins: true });
      expect(await twinsOf(store, [alone!, rain!])).toEqual({ twins: [], hasMoreTwins: false });
      expect(await twinsOf(store, [])).toEqual({ twins: [], hasMoreTwins: false });
    });

    it('are as many as asked for if many tracks have the same ISRC', async () => {
      const { store } = await open();
      const tracks = [1, 2, 3, 4, 5, 6].map((i) => {
        return delivery(i, { name: `Track ${i}`, slug: `t-${i}`, isrc: 'DEA120000001' });
      });
      await importAll(store, tracks);
      const rest = [
        ['t-4', true],
        ['t-5', true],
        ['t-6', true],
      ];
      const chosen = ['t-1', 't-2', 't-3'];
      expect(await twinsOf(store, chosen, 3)).toEqual({ twins: rest, hasMoreTwins: false });
      expect(await twinsOf(store, chosen, 2)).toEqual({
        twins: rest.slice(0, 2),
        hasMoreTwins: true,
      });
    });

    it('are the first and the last one of each ISRC in the notes of an import', async () => {
      const { store } = await open();
      const [one, other] = ['DEA120000001', 'DEA120000002'];
      const isrcs = [one, one, other, one, one, ''];
      const sources = ['a', 'b', 'c', 'd', 'e', 'f'];
      await importAll(
        store,
        isrcs.map((isrc, i) => delivery(i, { isrc, source: sources[i]! })),
      );
      const found = await store.catalog.tracksWithIsrcs([one, other, 'DEA120000003']);
      expect(found.map(({ isrc, source }) => [isrc, source])).toEqual([
        [one, 'a'],
        [other, 'c'],
        [one, 'e'],
      ]);
    });
  });
}

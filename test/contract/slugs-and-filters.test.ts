import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import type { Track, TrackDelivery } from '../../src/features/catalog/track.ts';
import type { Store } from '../../src/features/store.ts';
import { deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';

async function trackOf(store: Store, id: string): Promise<Track> {
  return (await store.catalog.trackRecord(id))!.track;
}

async function slugsOf(store: Store, ids: readonly string[]): Promise<string[]> {
  return Promise.all(ids.map(async (id) => (await trackOf(store, id)).slug));
}

for (const adapter of ADAPTERS) {
  describe(`slugs of tracks on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('get the next number if thousands of tracks have the same name', async () => {
      const { store } = await open();
      const batch = deliveries(0, 3_000).map((one) => ({ ...one, name: 'Intro' }));
      await importAll(store, batch);
      const slugs = await slugsOf(store, [trackId(0), trackId(1), trackId(2_999)]);
      expect(slugs).toEqual(['intro', 'intro-2', 'intro-3000']);
    });

    it('skip numbers that names contain, and number a delivered slug, too', async () => {
      const { store } = await open();
      await importAll(store, [
        delivery(1, { name: 'Intro 2' }),
        delivery(2, { name: 'Intro' }),
        delivery(3, { name: 'Intro' }),
        delivery(4, { slug: 'intro' }),
        delivery(5, { slug: 'my-own' }),
        delivery(6, { name: 'My own' }),
      ]);
      expect(await slugsOf(store, [1, 2, 3, 4, 5, 6].map(trackId))).toEqual([
        'intro-2',
        'intro',
        'intro-3',
        'intro-4',
        'my-own',
        'my-own-2',
      ]);
    });

    it('avoid reserved names and UUIDs, and fall back to the id', async () => {
      const { store } = await open();
      const uuid = newId();
      await importAll(store, [
        delivery(1, { name: 'Changes' }),
        delivery(2, { name: uuid }),
        delivery(3, { name: '*****' }),
        delivery(4, { slug: 'stream-urls' }),
      ]);
      expect(await slugsOf(store, [1, 2, 3, 4].map(trackId))).toEqual([
        'changes-2',
        `${uuid}-2`,
        `track-${trackId(3).slice(0, 8)}`,
        'stream-urls-2',
      ]);
    });

    it('are unique for any names and delivered slugs, also with two concurrent importers', async () => {
      const { store, another } = await open();
      const second = await another();
      const names = fc.constantFrom('Intro', 'Intro 2', 'intro', 'INTRO 2 2', 'Changes', '?', 'x');
      const slugs = fc.option(fc.constantFrom('intro', 'intro-2', 'x', 'batch'));
      let n = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(names, slugs), { minLength: 2, maxLength: 30 }),
          async (wanted) => {
            const batch = wanted.map(([name, slug]) => delivery(n++, { name, slug }));
            const half = batch.length >> 1;
            await Promise.all([
              importAll(store, batch.slice(0, half)),
              importAll(second, batch.slice(half)),
            ]);
          },
        ),
        { numRuns: 20 },
      );
      const all = await slugsOf(
        store,
        Array.from({ length: n }, (_, i) => trackId(i)),
      );
      expect(new Set(all).size).toBe(n);
    });
  });

  describe(`filters on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const named = (n: number, filters: TrackDelivery['filters']) => delivery(n, { filters });

    it('are one filter for all spellings with the same slug and type, with the name that came first', async () => {
      const { store } = await open();
      await importAll(store, [
        named(1, [
          { type: 'genre', name: 'Hip-Hop' },
          { type: 'genre', name: 'hip hop' },
        ]),
        named(2, [{ type: 'genre', name: 'HIP HOP' }]),
      ]);
      const filters = await store.catalog.filters();
      expect(filters).toMatchObject([{ name: 'Hip-Hop', slug: 'hip-hop', type: 'genre' }]);
      expect((await trackOf(store, trackId(1))).filters).toEqual(filters);
      expect((await trackOf(store, trackId(2))).filters).toEqual(filters);
    });

    it('have unique slugs over all types, and equal ids in every catalog', async () => {
      const { store } = await open();
      const other = (await open()).store;
      const batch = [
        named(1, [
          { type: 'genre', name: 'Dark' },
          { type: 'mood', name: 'Dark' },
          { type: 'mood', name: '???' },
          { type: 'mood', name: '!!!' },
        ]),
      ];
      await importAll(store, batch);
      await importAll(other, [
        named(1, [
          { type: 'mood', name: '!!!' },
          { type: 'mood', name: 'dark' },
        ]),
      ]);
      const filters = await store.catalog.filters();
      expect(filters.map(({ type, name }) => [type, name])).toEqual([
        ['genre', 'Dark'],
        ['mood', '!!!'],
        ['mood', '???'],
        ['mood', 'Dark'],
      ]);
      expect(filters.map(({ slug }) => slug)).toEqual([
        'dark',
        `filter-${filters[1]!.id.slice(0, 8)}`,
        `filter-${filters[2]!.id.slice(0, 8)}`,
        'dark-2',
      ]);
      const ids = new Map((await other.catalog.filters()).map(({ name, id }) => [name, id]));
      expect(ids.get('!!!')).toBe(filters[1]!.id);
      expect(ids.get('dark')).toBe(filters[3]!.id);
    });
  });
}

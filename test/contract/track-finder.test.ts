import { describe, expect, it } from 'vitest';
import { derivedId, newId } from '../../src/common/ids.ts';
import type { Store } from '../../src/features/store.ts';
import { findTracks } from '../../src/features/takedown/find-tracks.ts';
import type { TrackQuery } from '../../src/features/takedown/found-track.ts';
import { wordsOf } from '../../src/features/takedown/found-track.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, kindsAfter, someClient, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';
import { ANY, tracksOf, withClient } from './collections-support.ts';

const credit = (name: string) => ({
  ...{ id: derivedId(name), name, role: 'MAIN_ARTIST' as const },
  ...{ isPrimary: true, externalId: null },
});

async function found(
  store: Store,
  text: string,
  filter: Omit<TrackQuery, 'words'> = {},
): Promise<string[]> {
  const slugs: string[] = [];
  for await (const tracks of store.trackFinder.matching({ words: wordsOf(text), ...filter })) {
    slugs.push(...tracks.map(({ slug }) => slug));
  }
  return slugs;
}

async function all(slices: AsyncIterable<readonly number[]>): Promise<number[]> {
  const rowIds: number[] = [];
  for await (const slice of slices) rowIds.push(...slice);
  return rowIds;
}

async function numbersOf(store: Store, ...names: string[]): Promise<number[]> {
  return (await store.trackFinder.named(names)).flat();
}

for (const adapter of ADAPTERS) {
  describe(`the finder of tracks on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('finds tracks by the beginnings of words, whatever the accents and the apostrophes', async () => {
      const { store } = await open();
      const artists = [credit('Björk Ågren'), credit('Mara Lindt'), credit('Mara Lindt')];
      await importAll(store, [
        delivery(1, { name: 'Don’t Stop', artists, isrc: 'DEA120000001' }),
        delivery(2, { name: "Don't Go", externalId: 'LBL-Köln' }),
        delivery(3, { name: 'Café at Midnight', source: 'other' }),
        delivery(4, { name: '夜のドライブ', slug: 'night-ride' }),
      ]);
      expect(await found(store, 'dont')).toEqual(['dont-stop', 'dont-go']);
      expect(await found(store, 'DON’T st')).toEqual(['dont-stop']);
      expect(await found(store, 'bjork agr stop')).toEqual(['dont-stop']);
      expect(await found(store, 'bjork go')).toEqual([]);
      expect(await found(store, 'cafe midni')).toEqual(['cafe-at-midnight']);
      expect(await found(store, 'night')).toEqual(['night-ride']);
      expect(await found(store, 'ドライブ')).toEqual(['night-ride']);
      expect(await found(store, 'koln')).toEqual(['dont-go']);
      expect(await found(store, 'dea12')).toEqual(['dont-stop']);
      expect(await found(store, trackId(3).toUpperCase())).toEqual(['cafe-at-midnight']);
      expect(await found(store, trackId(3).slice(0, 8))).toEqual(['cafe-at-midnight']);
      expect(await found(store, 'night', { source: 'other' })).toEqual([]);
      expect(await found(store, 'caf', { source: 'other' })).toEqual(['cafe-at-midnight']);
      expect(await store.trackFinder.withRowIds(await numbersOf(store, 'dont-stop'))).toMatchObject(
        [
          {
            id: trackId(1),
            artists: ['Björk Ågren', 'Mara Lindt'],
            state: 'live',
            source: 'label',
          },
        ],
      );
    });

    it('finds names in other scripts by their romanizations', async () => {
      const { store } = await open();
      await importAll(store, [
        delivery(1, { name: 'Катюша', slug: 'one' }),
        delivery(2, { name: '北京 2008', slug: 'two', artists: [credit('فيروز')] }),
        delivery(3, { name: 'Μπουζούκι', slug: 'three', artists: [credit('宇多田 Ηλίας')] }),
        delivery(4, { name: 'ラブレター', slug: 'four' }),
        delivery(5, { name: 'Beat', slug: 'five' }),
      ]);
      expect(await found(store, 'katyush')).toEqual(['one']);
      expect(await found(store, 'beijing 2008')).toEqual(['two']);
      expect(await found(store, 'Fairuz beij')).toEqual(['two']);
      expect(await found(store, 'bouzouki ilias')).toEqual(['three']);
      expect(await found(store, 'raburet')).toEqual(['four']);
      expect(await found(store, 'nanjing')).toEqual([]);
    });

    it('finds tracks page by page, with those of an exact name first, and all without a text', async () => {
      const { store } = await open();
      await importAll(
        store,
        [1, 2, 3, 4, 5, 6].map((n) => delivery(n, { name: `Night ${n}` })),
      );
      const page = async (text: string | undefined, offset: number) => {
        const search = { limit: 4, offset };
        const { tracks, isTruncated } = await findTracks(store.trackFinder, text, search);
        return [tracks.map(({ name }) => name.slice(-1)).join(''), isTruncated];
      };
      expect(await page('night', 0)).toEqual(['1234', true]);
      expect(await page('night', 4)).toEqual(['56', false]);
      expect((await page('night-6', 0))[0]).toMatch(/^6/);
      expect(await page('night', 6)).toEqual(['', false]);
      expect(await page(undefined, 0)).toEqual(['1234', true]);
      expect(await page(undefined, 3)).toEqual(['456', false]);
      await expect(findTracks(store.trackFinder, '?', { limit: 1 })).rejects.toThrow('no letter');
    });

    it('lists many tracks without a text, each once and in their order', async () => {
      const { store } = await open();
      const names = Array.from({ length: 2_300 }, (_, i) => `Night ${i + 1}`);
      await importAll(
        store,
        names.map((name, i) => delivery(i + 1, { name })),
      );
      const all: string[] = [];
      for await (const found of store.trackFinder.matching({ words: [] })) {
        expect(found.length).toBeLessThanOrEqual(1_000);
        all.push(...found.map(({ name }) => name));
      }
      expect(all).toEqual(names);
      const { tracks } = await findTracks(store.trackFinder, undefined, {
        limit: 2,
        offset: 1_999,
      });
      expect(tracks.map(({ name }) => name)).toEqual(['Night 2000', 'Night 2001']);
    });

    it('finds tracks of each state, and by words of many artists', async () => {
      const { store } = await open();
      const named = (n: number) => delivery(n, { artists: [credit(`Common Name ${n}`)] });
      await importAll(
        store,
        Array.from({ length: 30 }, (_, n) => named(n)),
      );
      await setTrackState(store, trackId(1), 'taken_down', BY);
      const session = await store.catalog.openDelivery(BY, 'full');
      await session.deliver(Array.from({ length: 29 }, (_, n) => named(n)));
      await session.withdrawAbsent('label');
      await session.close();
      expect(await found(store, 'common 29', { state: 'withdrawn' })).toEqual(['track-29']);
      expect(await found(store, 'common', { state: 'withdrawn' })).toEqual(['track-29']);
      expect(await found(store, 'common', { state: 'taken_down' })).toEqual(['track-1']);
      expect(await found(store, 'common', { state: 'live' })).toHaveLength(28);
      expect(await found(store, 'common')).toHaveLength(30);
    });

    it('finds tracks by slug, id and ISRC, and those of a source or an import', async () => {
      const { store } = await open();
      const isrc = 'DEA120000001';
      await importAll(store, [delivery(1, { isrc }), delivery(2, { isrc }), delivery(3)], 'b-1');
      await importAll(store, [delivery(3, { bpm: '1' }), delivery(4, { source: 'other' })], 'b-2');
      const [one, two, three, four] = await numbersOf(
        store,
        ...['track-1', 'track-2', trackId(3).toUpperCase(), 'track-4'],
      );
      const names = ['de-a12-00-00001', 'none', newId(), 'track-1', 'dea120000001'];
      expect(await store.trackFinder.named(names)).toEqual([[one, two], [], [], [one], [one, two]]);
      expect(await store.trackFinder.withIsrcs([isrc, 'track-1', ''])).toEqual([
        [one, two],
        [],
        [],
      ]);
      expect(await all(store.trackFinder.ofSource('label'))).toEqual([one, two, three]);
      expect(await all(store.trackFinder.ofSource('none'))).toEqual([]);
      expect(await all(store.trackFinder.ofBatch('b-1'))).toEqual([one, two, three]);
      expect(await all(store.trackFinder.ofBatch('b-2'))).toEqual([three, four]);
      await expect(all(store.trackFinder.ofBatch('b-3'))).rejects.toMatchObject({
        kind: 'not_found',
      });
      expect(await store.trackFinder.sources()).toEqual(['label', 'other']);
      expect(await store.trackFinder.beginningWith('track', 3)).toEqual([one, two, three]);
      expect(await store.trackFinder.beginningWith('track-2', 3)).toEqual([two]);
      expect(await store.trackFinder.beginningWith('', 3)).toEqual([]);
      expect(await store.trackFinder.slugsNear('track-2x')).toEqual([
        ...['track-2', 'track-1', 'track-3', 'track-4'],
      ]);
    });

    it('changes the states of many tracks once, and keeps the reason with each change', async () => {
      const { store, clock } = await open();
      await importAll(store, deliveries(0, 250));
      const rowIds = await all(store.trackFinder.ofSource('label'));
      await setTrackState(store, trackId(7), 'taken_down', BY);
      const head = await store.changes.head();
      clock.advance(1);
      const down = { state: 'taken_down', reason: 'claim', reference: '7' } as const;
      expect(await store.trackFinder.setStates(rowIds, down, BY)).toHaveLength(249);
      expect(await store.trackFinder.setStates(rowIds, down, BY)).toEqual([]);
      expect(await kindsAfter(store, head)).toEqual(Array(249).fill('track.taken_down'));
      expect(await store.changes.latest(249)).toSatisfy((changes: { reason: string }[]) =>
        changes.every(({ reason }) => reason === 'claim'),
      );
      expect((await store.catalog.trackRecord(trackId(1)))!.updatedAt).toBe(clock.now());
      expect(await store.catalog.counts()).toMatchObject({ live: 0, takenDown: 250 });
      await expect(
        (async () => store.trackFinder.setStates([...rowIds, 999], down, BY))(),
      ).rejects.toThrow('too many');
    });

    it('names who holds tracks, of all clients', async () => {
      const { store, client, create } = await withClient(await open());
      const other = someClient({ name: 'Zeta' });
      await store.clients.create(other, BY);
      const list = { id: newId(), name: 'P', description: '', createdAt: 0, updatedAt: 0 };
      const playlist = await store.playlists.create(list, [trackId(1), trackId(2)], BY);
      await store.playlists.grant(playlist.id, other.id, BY);
      const { id } = await create(tracksOf(2, 3));
      await store.collections.update(id, { name: 'Mine' }, ANY, {
        ...{ actor: 'client:x', clientId: client.id, mode: 'live' },
      });
      const holders = async (...slugs: string[]) =>
        store.references.holdersOf(await numbersOf(store, ...slugs));
      expect(await holders('track-1', 'track-2')).toMatchObject({
        playlists: [{ id: playlist.id, slug: 'p' }],
        clients: [{ clientId: other.id, name: 'Zeta' }],
        collections: [{ id, name: 'Mine', mode: 'live', clientId: client.id }],
        licenses: [],
        isTruncated: false,
      });
      const none = { playlists: [], clients: [], collections: [], licenses: [] };
      expect(await holders('track-4')).toMatchObject(none);
      expect(await holders()).toMatchObject(none);
    });
  });
}

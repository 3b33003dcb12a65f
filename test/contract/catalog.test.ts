import { describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import type { IndexEntry } from '../../src/engines/search/catalog-index.ts';
import type { DocumentParts } from '../../src/features/catalog/document-copy.ts';
import type { Store } from '../../src/features/store.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, numbersOf, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';

async function allEntries(store: Store): Promise<IndexEntry[]> {
  const entries: IndexEntry[] = [];
  for await (const slice of store.catalog.allIndexEntries()) entries.push(...slice);
  return entries;
}

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}

for (const adapter of ADAPTERS) {
  describe(`documents on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('come in the requested order, undefined for tracks that are not live, for any number of tracks', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 250));
      const ids = Array.from({ length: 250 }, (_, i) => trackId(249 - i));
      const numbers = await numbersOf(store, ids);
      const [one, seven] = await numbersOf(store, [trackId(1), trackId(7)]);
      await setTrackState(store, trackId(7), 'taken_down', BY);
      const documents = await store.catalog.documents([one!, 0, one!, 1_000, seven!, ...numbers]);
      expect(documents.map((document) => document?.id)).toEqual([
        trackId(1),
        undefined,
        trackId(1),
        undefined,
        undefined,
        ...ids.map((id) => (id === trackId(7) ? undefined : id)),
      ]);
      for (const length of [0, 1, 2, 3, 19, 20, 21, 99, 100, 101]) {
        const some = await store.catalog.documents(numbers.slice(0, length));
        expect(some.map((document) => document?.id)).toEqual(
          ids.slice(0, length).map((id) => (id === trackId(7) ? undefined : id)),
        );
      }
    });

    it('are found by slug, and by id in upper or lower case, while their track is live', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1)]);
      const [number] = await numbersOf(store, [trackId(1)]);
      const [document] = await store.catalog.documents([number!]);
      expect(document!.id).toBe(trackId(1));
      expect(await store.catalog.document('track-1')).toEqual(document);
      expect(await store.catalog.document(trackId(1).toUpperCase())).toEqual(document);
      expect(await store.catalog.document('track-2')).toBeUndefined();
      expect(await store.catalog.document(newId())).toBeUndefined();
      await setTrackState(store, trackId(1), 'taken_down', BY);
      expect(await store.catalog.document('track-1')).toBeUndefined();
      expect(await store.catalog.document(trackId(1))).toBeUndefined();
    });

    it('are the JSON of the track without its closing brace, with the members in their order', async () => {
      const { store } = await open();
      const artworkKey = `${'b'.repeat(64)}.png`;
      await importAll(store, [delivery(1, { name: 'Größe “x”', artworkKey })]);
      const document = await store.catalog.document(trackId(1));
      const track = (await store.catalog.trackRecord(trackId(1)))!.track;
      expect(document!.artworkKey).toBe(artworkKey);
      expect(`${document!.json}}`).toBe(JSON.stringify({ ...track, stream: null }));
      expect(document!.bytes).toBe(Buffer.byteLength(document!.json));
    });

    it('are read in the order of row ids and in parts, in which the filters are numbers', async () => {
      const { store } = await open();
      const artworkKey = `${'b'.repeat(64)}.png`;
      await importAll(store, deliveries(0, 2_300));
      const named = { name: 'Größe ,"filters":[{"id":"', artworkKey };
      await importAll(store, [delivery(3, named), delivery(4, { filters: [] })], 'later');
      await setTrackState(store, trackId(7), 'taken_down', BY);
      const read: DocumentParts[] = [];
      for await (const slice of store.catalog.allDocuments()) read.push(...slice);
      const texts = new Map(
        (await store.catalog.filterTexts()).map(({ rowId, json }) => [rowId, json]),
      );
      expect(texts.size).toBe(9);
      const rowIds = read.map(({ rowId }) => rowId);
      expect(rowIds).toEqual([...rowIds].sort((a, b) => a - b));
      expect(rowIds).toHaveLength(2_299);
      const documents = await store.catalog.documents(rowIds);
      for (const [i, { before, filters, after, artworkKey: key }] of read.entries()) {
        const json = before + filters.map((filter) => texts.get(filter)).join() + after;
        expect(json).toBe(documents[i]!.json);
        expect(key).toBe(documents[i]!.artworkKey);
        expect(filters).toHaveLength(documents[i]!.id === trackId(4) ? 0 : 3);
      }
    });
  });

  describe(`index entries on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are read by ranges of row ids, up to the greatest', async () => {
      const { store } = await open();
      expect(await store.catalog.lastRowId()).toBe(0);
      await importAll(store, deliveries(0, 30));
      await setTrackState(store, trackId(29), 'taken_down', BY);
      const all = await allEntries(store);
      const last = await store.catalog.lastRowId();
      expect(last).toBeGreaterThanOrEqual(Math.max(...all.map(({ rowId }) => rowId)));
      const found: IndexEntry[] = [];
      for (let after = 0; after < last; after += 7) {
        for await (const slice of store.catalog.allIndexEntries({ after, upTo: after + 7 })) {
          expect(slice.every(({ rowId }) => rowId > after && rowId <= after + 7)).toBe(true);
          found.push(...slice);
        }
      }
      expect(found.sort(byId)).toEqual(all.sort(byId));
    });

    it('contain what the index needs of every live track, in slices', async () => {
      const { store } = await open();
      const batch = deliveries(0, 4_500).map((one, n) =>
        n === 5
          ? {
              ...one,
              tags: [],
              artists: [],
              name: 'a\u0000b',
              filters: [],
              isrc: 'USUAN1100001',
              bpm: '',
              songKey: [],
            }
          : { ...one, bpm: '97.125', songKey: n % 2 === 0 ? ['A minor'] : ['C major', 'H "x" é'] },
      );
      await importAll(store, batch);
      await setTrackState(store, trackId(4), 'taken_down', BY);
      const entries = await allEntries(store);
      expect(entries).toHaveLength(4_499);
      const filterIds = new Map((await store.catalog.filters()).map(({ name, id }) => [name, id]));
      const expected = batch
        .filter(({ id }) => id !== trackId(4))
        .map(
          ({ id, name, type, hasVocals, releasedAt, durationSeconds, isrc, region, ...one }) => ({
            rowId: expect.any(Number),
            id,
            name,
            type,
            hasVocals,
            isInstrumental: false,
            hasAudio: one.audioKey !== null,
            releasedAt,
            durationSeconds,
            bpm: Number(one.bpm),
            songKeys: one.songKey,
            filterIds: one.filters.map((filter) => filterIds.get(filter.name)!).sort(),
            isrc,
            artists: [...new Set(one.artists.map(({ name }) => name))],
            tags: one.tags,
            region,
          }),
        );
      const sorted = entries.map((entry) => ({
        ...entry,
        filterIds: [...entry.filterIds].sort(),
      }));
      expect(sorted.sort(byId)).toEqual(expected.sort(byId));
    });

    it('change with a new delivery', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1)]);
      const [before] = await store.catalog.indexEntries([trackId(1)]);
      await importAll(store, [delivery(1, { bpm: '88.5', songKey: ['D'], durationSeconds: 5 })]);
      expect(await store.catalog.indexEntries([trackId(1)])).toEqual([
        { ...before!, bpm: 88.5, songKeys: ['D'], durationSeconds: 5 },
      ]);
    });

    it('contain each artist once, as the track credits it, and the tags', async () => {
      const { store } = await open();
      const credit = { role: 'MAIN_ARTIST', isPrimary: true, externalId: null };
      const [mara, other] = [newId(), newId()];
      const artists = [
        { ...credit, id: mara, name: 'Mara "M" Líndt' },
        { ...credit, id: mara, name: 'Mara "M" Líndt', role: 'COMPOSER', isPrimary: false },
        { ...credit, id: other, name: "D'Arc", role: 'COMPOSER', isPrimary: false },
      ];
      const tags = ['slow piano', '"tags":[', 'é'];
      await importAll(store, [delivery(1, { artists, tags }), delivery(2, { artists, tags: [] })]);
      const entryOf = async (n: number) => (await store.catalog.indexEntries([trackId(n)]))[0]!;
      expect(await entryOf(1)).toMatchObject({ artists: ['Mara "M" Líndt', "D'Arc"], tags });
      const renamed = [{ ...credit, id: mara, name: 'Mara' }];
      await importAll(store, [delivery(1, { artists: renamed, tags: ['fast'] })]);
      expect(await entryOf(1)).toMatchObject({ artists: ['Mara'], tags: ['fast'] });
      expect(await entryOf(2)).toMatchObject({ artists: ['Mara "M" Líndt', "D'Arc"], tags: [] });
    });

    it('are returned for selected tracks, except those that are not live', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 3));
      await setTrackState(store, trackId(1), 'taken_down', BY);
      const ids = [trackId(2), trackId(1), newId(), trackId(0)];
      const entries = await store.catalog.indexEntries(ids);
      expect(entries.map(({ id }) => id).sort()).toEqual([trackId(0), trackId(2)].sort());
    });

    it('contain filters that another process added later', async () => {
      const { store, another } = await open();
      await importAll(store, [delivery(1)]);
      await store.catalog.indexEntries([trackId(1)]);
      const late = delivery(2, { filters: [{ type: 'mood', name: 'Late' }] });
      await importAll(await another(), [late]);
      const [entry] = await store.catalog.indexEntries([trackId(2)]);
      const filters = await store.catalog.filters();
      expect(entry!.filterIds).toEqual([filters.find(({ name }) => name === 'Late')!.id]);
    });
  });

  describe(`an empty catalog on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('is untouched until the first import', async () => {
      const { store } = await open();
      expect(await store.catalog.isUntouched()).toBe(true);
      expect(await store.catalog.counts()).toEqual({
        live: 0,
        takenDown: 0,
        withdrawn: 0,
        unavailable: 0,
        filters: 0,
        playlists: 0,
      });
      expect(await allEntries(store)).toEqual([]);
      await importAll(store, [delivery(1)]);
      expect(await store.catalog.isUntouched()).toBe(false);
    });
  });
}

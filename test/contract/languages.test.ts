import { describe, expect, it } from 'vitest';
import type { TrackText } from '../../src/features/languages/translations.ts';
import type { Store } from '../../src/features/store.ts';
import { BY, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { part } from './parts-support.ts';

const GERMAN: TrackText = { language: 'de', name: 'Nachtfähre', tags: ['Klavier'] };
const FRENCH: TrackText = { language: 'fr', name: 'Bac de nuit', tags: null };

for (const adapter of ADAPTERS) {
  describe(`translations on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    const textsOf = async (store: Store) =>
      (await store.languages.textsOfTrack(delivery(1).id, ['de', 'fr']))?.texts.toSorted((a, b) =>
        a.language < b.language ? -1 : 1,
      );
    const last = async (store: Store) => (await store.changes.latest(1))[0];

    it('are stored, stay if a delivery lacks them, and are removed by an empty list', async () => {
      const { store } = await open();
      const known = { language: 'pt-BR', translations: [GERMAN, FRENCH] };
      expect(await importAll(store, [delivery(1, known)], 'a')).toEqual(['created']);
      expect(await textsOf(store)).toEqual([GERMAN, FRENCH]);
      expect(await importAll(store, [delivery(1, known)], 'b')).toEqual(['unchanged']);
      expect(await importAll(store, [delivery(1)], 'c')).toEqual(['unchanged']);
      expect(await store.languages.available()).toEqual(
        expect.arrayContaining(['de', 'fr', 'pt-BR']),
      );
      const german = { translations: [GERMAN] };
      expect(await importAll(store, [delivery(1, german)], 'd')).toEqual(['updated']);
      expect(await last(store)).toMatchObject({ kind: 'updated', changed: ['translations'] });
      expect(await importAll(store, [delivery(1, { translations: [] })], 'e')).toEqual(['updated']);
      expect(await textsOf(store)).toEqual([]);
      expect(await store.languages.available()).toEqual(['pt-BR']);
    });

    it('and the language are restored by an undo', async () => {
      const { store } = await open();
      const known = { language: 'de', translations: [GERMAN] };
      await importAll(store, [delivery(1, known)], 'a');
      await importAll(store, [delivery(1, { language: '', translations: [FRENCH] })], 'b');
      expect(await last(store)).toMatchObject({ changed: ['language', 'translations'] });
      await store.batches.undo('b', { by: BY });
      expect(await textsOf(store)).toEqual([GERMAN]);
      const texts = await store.languages.textsOfTrack(delivery(1).id, []);
      expect(texts?.language).toBe('de');
    });

    it('change and are restored together with the stems of a track', async () => {
      const { store } = await open();
      const stemsOf = async () => (await store.catalog.trackParts(delivery(1).id))?.parts.stems;
      const known = { translations: [GERMAN], stems: [part('bass', 'a')] };
      await importAll(store, [delivery(1, known)], 'a');
      expect(await importAll(store, [delivery(1, known)], 'b')).toEqual(['unchanged']);
      const other = { translations: [FRENCH], stems: [part('bass', 'b')] };
      expect(await importAll(store, [delivery(1, other)], 'c')).toEqual(['updated']);
      expect(await last(store)).toMatchObject({ changed: ['stems', 'translations'] });
      await store.batches.undo('c', { by: BY });
      expect(await last(store)).toMatchObject({ changed: ['stems', 'translations'] });
      expect(await textsOf(store)).toEqual([GERMAN]);
      expect(await stemsOf()).toMatchObject([part('bass', 'a')]);
      const noStems = { translations: [GERMAN], stems: [] };
      expect(await importAll(store, [delivery(1, noStems)], 'd')).toEqual(['updated']);
      expect(await last(store)).toMatchObject({ changed: ['stems'] });
      await store.batches.undo('d', { by: BY });
      expect(await last(store)).toMatchObject({ changed: ['stems'] });
      expect(await textsOf(store)).toEqual([GERMAN]);
    });

    it('are in the entries of the index, and go with their source', async () => {
      const { store } = await open();
      const first = delivery(1, { translations: [GERMAN, FRENCH] });
      await importAll(store, [first, delivery(2)], 'a');
      const entries = await store.catalog.indexEntries([first.id, delivery(2).id]);
      const byId = new Map(entries.map((entry) => [entry.id, entry]));
      expect(byId.get(first.id)?.aliases?.toSorted()).toEqual(['Bac de nuit', 'Nachtfähre']);
      expect(byId.get(first.id)?.aliasTags).toEqual(['Klavier']);
      expect(byId.get(delivery(2).id)).not.toHaveProperty('aliases');
      expect(await store.languages.counts()).toEqual([
        { language: 'de', tracks: 1, filters: 0, playlists: 0 },
        { language: 'fr', tracks: 1, filters: 0, playlists: 0 },
      ]);
      await store.catalog.removeSource(first.source, BY);
      expect(await store.languages.available()).toEqual([]);
    });

    it('of filters and playlists are logged, and refused for unknown ones', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1, { filters: [{ type: 'mood', name: 'Calm' }] })], 'a');
      const name = { filter: 'calm', language: 'de', name: 'Ruhig' };
      expect(await store.languages.translateFilters([name], BY)).toBe(1);
      expect(await last(store)).toMatchObject({ entity: 'filter', changed: ['translations'] });
      expect(await store.languages.filterNames()).toMatchObject([
        { language: 'de', name: 'Ruhig' },
      ]);
      await expect(
        store.languages.translateFilters(
          [
            { ...name, name: 'X' },
            { ...name, filter: 'no' },
          ],
          BY,
        ),
      ).rejects.toThrow('There is no filter no.');
      expect(await store.languages.filterNames()).toMatchObject([{ name: 'Ruhig' }]);
      await expect(store.languages.translatePlaylist('no', 'de', null, BY)).rejects.toThrow();
    });
  });
}

import { describe, expect, it } from 'vitest';
import { LiveSynonyms } from '../../src/features/briefs/live-synonyms.ts';
import { BY } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';

for (const adapter of ADAPTERS) {
  describe(`synonyms on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are replaced by each import, which is logged', async () => {
      const { store } = await open();
      const many = Array.from({ length: 2_500 }, (_, i) => ({
        term: `term ${10_000 + i}`,
        names: ['Calm', 'düster, "leise"'],
      }));
      await store.synonyms.replace(many, BY);
      expect(await store.synonyms.all()).toEqual(many);
      await store.synonyms.replace([{ term: 'mell*', names: ['Calm'] }], BY);
      expect(await store.synonyms.all()).toEqual([{ term: 'mell*', names: ['Calm'] }]);
      await store.synonyms.replace([], BY);
      expect(await store.synonyms.all()).toEqual([]);
      expect(await store.changes.latest(1)).toMatchObject([
        { entity: 'brief', kind: 'synonyms_imported', by: BY },
      ]);
    });

    it('are read again after an import, and replace shipped ones of the same term', async () => {
      const { store } = await open();
      const live = new LiveSynonyms(store.synonyms);
      await live.load();
      const shipped = live.current.hintOf('klavier', 7)?.names;
      expect(shipped).toEqual(['piano']);
      const { version } = live;
      await store.synonyms.replace([{ term: 'klavier*', names: ['Keys'] }], BY);
      await live.apply(await store.changes.since(0, ['track'], 100));
      expect(live.current.hintOf('klavier', 7)?.names).toEqual(shipped);
      await live.apply(await store.changes.since(0, ['brief'], 100));
      expect(live.current.hintOf('klaviere', 8)?.names).toEqual(['Keys']);
      expect(live.version).toBeGreaterThan(version);
    });
  });
}

import { describe, expect, it } from 'vitest';
import { indexSource } from '../../test/harness/index-source.ts';
import { Follower } from '../changes/follower.ts';
import { CATALOG_ENTITIES } from './catch-up.ts';
import { deliver, delivery, store } from './live-catalog.test-support.ts';
import { LiveCatalog } from './live-catalog.ts';
import { type LanguageSource, LiveLanguages } from './live-languages.ts';

/** A live catalog with its languages, and its follower. The reads of texts are those of the store by default. */
async function live(reads: Partial<LanguageSource> = {}) {
  const source: LanguageSource = {
    available: () => store.languages.available(),
    filterNames: () => store.languages.filterNames(),
    trackTexts: (...request) => store.languages.trackTexts(...request),
    textsOfTrack: (...request) => store.languages.textsOfTrack(...request),
    ...reads,
  };
  const languages = new LiveLanguages({ store: source });
  const catalog = new LiveCatalog({
    store: store.catalog,
    source: indexSource(store),
    languages,
  });
  await catalog.load();
  const errors: unknown[] = [];
  const follower = new Follower({
    log: store.changes,
    entities: CATALOG_ENTITIES,
    from: catalog.position,
    apply: (changes, head) => catalog.apply(changes, head),
    onError: (error) => errors.push(error),
  });
  return { catalog, languages, follower, errors };
}

describe('the languages of a live catalog', () => {
  it.each(['available', 'filterNames'] as const)(
    'are read again after an error of %s, also if tracks changed with them',
    async (failing) => {
      await deliver(delivery('Night', { filters: [{ type: 'mood', name: 'Calm' }] }));
      let fails = false;
      const { catalog, follower, errors } = await live({
        [failing]: () => {
          if (fails) return Promise.reject(new Error('The database is unavailable'));
          return store.languages[failing]();
        },
      });
      await store.languages.translateFilters(
        [{ filter: 'calm', language: 'fr', name: 'Calme' }],
        'cli:test',
      );
      await deliver(
        delivery('Day', { translations: [{ language: 'de', name: 'Tag', tags: null }] }),
      );
      fails = true;
      await follower.poll();
      expect(errors).toHaveLength(1);
      fails = false;
      await follower.poll();
      expect(errors).toHaveLength(1);
      const view = catalog.languages.all.forTag('fr');
      expect(catalog.filters(undefined, view)).toMatchObject([{ name: 'Calme' }]);
      expect(catalog.languages.all.forTag('de').language).toBe('de');
      expect(catalog.search({ text: 'day' }, { offset: 0, limit: 1 }).total).toBe(1);
    },
  );
});

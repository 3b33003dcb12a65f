import { describe, expect, it } from 'vitest';
import { indexSource } from '../../../../test/harness/index-source.ts';
import { setTrackState } from '../../../../test/harness/track-state.ts';
import { Follower } from '../../../engines/change-log/follower.ts';
import { CATALOG_ENTITIES } from './catch-up.ts';
import {
  deliver,
  delivery,
  idOf,
  openStoreForEachTest,
  store,
} from './live-catalog.test-support.ts';
import { LiveCatalog } from './live-catalog.ts';
import { type LanguageSource, LiveLanguages } from './live-languages.ts';

openStoreForEachTest();

const BY = 'cli:test';

/** A track with a filter. */
const CALM = delivery('Calm', { filters: [{ type: 'mood', name: 'Calm' }] });

/** Sets the German name of its filter. */
const translate = (name: string) =>
  store.languages.translateFilters([{ filter: 'calm', language: 'de', name }], BY);

/** A live catalog with its languages, and its follower. The reads of texts are those of the store by default. */
async function live(reads: Partial<LanguageSource> = {}) {
  const source: LanguageSource = {
    available: () => store.languages.available(),
    filterNames: () => store.languages.filterNames(),
    trackTexts: (...request) => store.languages.trackTexts(...request),
    manyTrackTexts: (...request) => store.languages.manyTrackTexts(...request),
    textsOfTrack: (...request) => store.languages.textsOfTrack(...request),
    ...reads,
  };
  const languages = new LiveLanguages({ store: source, original: 'en' });
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
        BY,
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

  it('lose the names of filters that are removed with their source', async () => {
    await deliver(CALM);
    await translate('Ruhig');
    const { catalog, languages, follower } = await live();
    const nameOf = () => catalog.filters(undefined, languages.all.forTag('de'))[0]!.name;
    expect(nameOf()).toBe('Ruhig');
    await store.catalog.removeSource('test', BY);
    await follower.poll();
    expect(languages.all.forTag('de').language).toBeUndefined();
    await deliver(CALM, delivery('Tag', { language: 'de' }));
    await follower.poll();
    expect(languages.all.forTag('de').language).toBe('de');
    expect(nameOf()).toBe('Calm');
  });

  it('have new names before the changes that precede them are applied', async () => {
    await deliver(CALM);
    const { catalog, languages } = await live();
    await deliver(delivery('Day'));
    await translate('Ruhig');
    const { version, position } = catalog;
    await catalog.applyEarly(await store.changes.since(position, CATALOG_ENTITIES, 100));
    expect(catalog.filters(undefined, languages.all.forTag('de'))).toMatchObject([
      { name: 'Ruhig' },
    ]);
    expect(catalog).toMatchObject({ position, size: 1 });
    expect(catalog.version).toBeGreaterThan(version);
  });

  it('divide the names of filters into words once until a name changes', async () => {
    await deliver(CALM);
    await translate('Sehr ruhig');
    const { catalog, languages, follower } = await live();
    const { id } = catalog.filters()[0]!;
    const words = languages.wordsOf(id);
    expect(words).toEqual([['sehr', 'ruhig']]);
    await deliver(delivery('Day', { translations: [{ language: 'fr', name: 'J', tags: null }] }));
    await follower.poll();
    expect(languages.wordsOf(id)).toBe(words);
    await translate('Ruhig');
    await follower.poll();
    expect(languages.wordsOf(id)).toEqual([['ruhig']]);
  });

  it('have another version after each change of texts, and only then', async () => {
    await deliver(CALM);
    const { languages, follower } = await live();
    const rises = async (change: () => Promise<unknown>) => {
      const before = languages.version;
      await change();
      await follower.poll();
      return languages.version > before;
    };
    const id = idOf('list');
    const list = { id, name: 'List', description: '', createdAt: 1, updatedAt: 1 };
    const text = { name: 'Liste', description: null };
    expect(await rises(() => store.playlists.create(list, [], BY))).toBe(false);
    expect(await rises(() => store.languages.translatePlaylist(id, 'de', text, BY))).toBe(true);
    const other = { name: 'Andere', description: null };
    expect(await rises(() => store.languages.translatePlaylist(id, 'de', other, BY))).toBe(true);
    expect(await rises(() => store.playlists.delete(id, BY))).toBe(true);
    expect(await rises(() => translate('Ruhig'))).toBe(true);
    expect(await rises(() => deliver(delivery('Calm', { name: 'Calmer' })))).toBe(false);
    expect(await rises(() => setTrackState(store, idOf('Calm'), 'taken_down', BY))).toBe(true);
  });
});

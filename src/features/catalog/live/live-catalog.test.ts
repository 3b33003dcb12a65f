import { describe, expect, it, vi } from 'vitest';
import { indexSource } from '../../../../test/harness/index-source.ts';
import { setTrackState } from '../../../../test/harness/track-state.ts';
import type { CatalogIndex } from '../../../engines/search/catalog-index.ts';
import { filterId } from '../track.ts';
import {
  deliver,
  delivery,
  FIRST_TEN,
  idOf,
  live,
  openStoreForEachTest,
  searchMethodsOf,
  store,
} from './live-catalog.test-support.ts';
import { LiveCatalog } from './live-catalog.ts';
import { LiveLanguages } from './live-languages.ts';

openStoreForEachTest();

describe('a live catalog', () => {
  it('contains the tracks that it loaded, and all later changes', async () => {
    await deliver(delivery('Night'), delivery('Day'));
    const { catalog, catchUp, find } = await live();
    expect(catalog.size).toBe(2);
    expect(await find({ text: 'night' })).toEqual([1, 'Night']);

    await deliver(delivery('Dusk'), delivery('Day', { name: 'Daylight' }));
    await setTrackState(store, idOf('Night'), 'taken_down', 'cli:test');
    await catchUp();
    expect(catalog.size).toBe(2);
    expect(await find({ text: 'night' })).toEqual([0]);
    expect(await find({ text: 'daylight' })).toEqual([1, 'Daylight']);
    expect(await find({ text: 'dusk' })).toEqual([1, 'Dusk']);

    await setTrackState(store, idOf('Night'), 'live', 'cli:test');
    await catchUp();
    expect(await find({ text: 'night' })).toEqual([1, 'Night']);
    await store.catalog.removeSource('test', 'cli:test');
    await catchUp();
    expect(catalog.search({}, FIRST_TEN)).toEqual({ total: 0, rowIds: [] });
  });

  it('is empty before it is loaded, and rejects changes until then', async () => {
    await deliver(delivery('Night'));
    const catalog = new LiveCatalog({
      store: store.catalog,
      source: indexSource(store),
      languages: new LiveLanguages({ store: store.languages, original: 'en' }),
    });
    expect(catalog.size).toBe(0);
    expect(catalog.position).toBe(0);
    expect(catalog.search({}, FIRST_TEN)).toEqual({ total: 0, rowIds: [] });
    expect(catalog.locate([idOf('Night')], {})).toEqual([undefined]);
    expect(catalog.suggest('n', 10)).toEqual({ filters: [], names: [] });
    expect(catalog.filters()).toEqual([]);
    const changes = await store.changes.since(0, ['track'], 10);
    await expect(catalog.apply(changes)).rejects.toThrow('not loaded');
    await catalog.load();
    await catalog.apply(changes);
    expect(await searchMethodsOf(catalog).find({})).toEqual([1, 'Night']);
  });

  it('has a position in the change log, and skips changes up to it', async () => {
    await deliver(delivery('Night'));
    const { catalog, reads } = await live();
    expect(catalog.position).toBe(1);
    await deliver(delivery('Day'), delivery('Dusk'));
    const changes = await store.changes.since(0, ['track'], 10);
    await catalog.apply(changes);
    expect(catalog.position).toBe(3);
    expect(catalog.size).toBe(3);
    const { filters } = reads;
    await catalog.apply(changes);
    expect(reads.filters).toBe(filters);
  });

  it('accepts ids in any case, duplicates, empty lists and empty texts', async () => {
    const filters = [
      { type: 'genre', name: 'Ambient' },
      { type: 'mood', name: 'Calm' },
    ] as const;
    await deliver(
      delivery('Both', { filters: [...filters], isrc: 'USUAN1100001' }),
      delivery('One', { filters: [filters[0]] }),
    );
    const { catalog, find, rowIdsOf } = await live();
    const [ambient, calm] = catalog.filters();
    const both = [1, 'Both'];
    const empty = { filterSlugs: [], filterIds: [], text: '', isrc: '', songKey: '' };
    expect((await find({ filterSlugs: ['ambient', 'ambient'], filterIds: [] }))[0]).toBe(2);
    expect((await find(empty))[0]).toBe(2);
    expect(await find({ filterIds: [calm!.id.toUpperCase(), calm!.id] })).toEqual(both);
    expect(await find({ filterSlugs: ['calm'], filterIds: [ambient!.id] })).toEqual(both);
    expect(await find({ isrc: 'usuan1100001' })).toEqual(both);
    expect(await find({ filterSlugs: ['calm', 'loud'] })).toEqual([0]);
    expect(await find({ filterIds: [idOf('loud')] })).toEqual([0]);
    expect(catalog.search({ filterSlugs: ['loud'] }, { ...FIRST_TEN, facets: true })).toEqual({
      total: 0,
      rowIds: [],
      unknown: [{ field: 'filterSlugs', name: 'loud', nearest: undefined }],
      facets: {
        filters: new Map(),
        types: new Map(),
        hasVocals: new Map(),
        vocals: new Map(),
        ai: new Map(),
        trainingAllowed: new Map(),
      },
    });
    const ids = [idOf('One'), idOf('Gone'), idOf('Both')];
    const [one, two] = rowIdsOf('One', 'Both');
    expect(catalog.locate(ids, {})).toEqual([one, undefined, two]);
    expect(catalog.locate(ids, { filterSlugs: ['calm'] })).toEqual([undefined, undefined, two]);
    expect(catalog.locate(ids, { filterSlugs: ['loud'] })).toEqual(Array(3).fill(undefined));
  });

  it('passes every member of a query to the index, in its normalized form', async () => {
    const filters = (['genre', 'genre', 'mood', 'mood'] as const).map((type, i) => ({
      type,
      name: `Filter ${i}`,
    }));
    await deliver(delivery('A', { filters }));
    const queries: unknown[] = [];
    const index = {
      ...(await indexSource(store).open()).index,
      search: (...query: unknown[]) => {
        queries.push(query);
        return { total: 0, rowIds: [] };
      },
    } as unknown as CatalogIndex;
    const open = async () => ({ index, seq: 0 });
    const catalog = new LiveCatalog({
      store: store.catalog,
      source: { open, build: open },
      languages: new LiveLanguages({ store: store.languages, original: 'en' }),
    });
    await catalog.load();
    const ranges = {
      type: 'music',
      hasVocals: false,
      bpmMin: 1,
      bpmMax: 2,
      durationMin: 3,
      durationMax: 4,
      releasedFrom: 5,
      releasedTo: 6,
    } as const;
    const page = { ...FIRST_TEN, sort: 'popular', popularity: 'live', facets: true } as const;
    const ids = filters.map(filterId).sort();
    const query = { text: 'Night ', songKey: 'c major', ...ranges };
    catalog.search({ ...query, filterIds: ids.toReversed(), isrc: 'usuan1100001' }, page);
    expect(queries.pop()).toEqual([{ ...query, filterIds: ids, isrc: 'USUAN1100001' }, page]);
    const [genre, another, mood, last] = filters.map(filterId);
    const groups = [[genre!, another!].sort(), [mood!]].sort(([a], [b]) => (a! < b! ? -1 : 1));
    for (const anyFilterIds of [
      [genre!, mood!, another!],
      [another!, genre!, mood!.toUpperCase()],
    ]) {
      catalog.search({ anyFilterIds, notFilterSlugs: ['filter-3', 'filter-3'] }, FIRST_TEN);
      const normalized = { anyFilterIds: groups, notFilterIds: [last!] };
      expect(queries.pop()).toEqual([normalized, FIRST_TEN]);
    }
    expect(queries).toEqual([]);
  });

  it('returns current results for a repeated query', async () => {
    await deliver(delivery('Night One'));
    const { catchUp, find } = await live();
    expect(await find({ text: 'night' })).toEqual([1, 'Night One']);
    expect(await find({ text: 'night' })).toEqual([1, 'Night One']);
    await deliver(delivery('Night Two'));
    await catchUp();
    expect((await find({ text: 'night' }))[0]).toBe(2);
    await setTrackState(store, idOf('Night One'), 'taken_down', 'cli:test');
    await catchUp();
    expect(await find({ text: 'night' })).toEqual([1, 'Night Two']);
  });

  it('takes in all changes together if there are many, and returns where it is then', async () => {
    await deliver(delivery('Old'), delivery('Gone'), delivery('Changed'));
    const { catalog, reads, find } = await live();
    await find({ text: 'changed' });
    const gone = idOf('Gone');
    await deliver(delivery('New'), delivery('Newer'), delivery('Changed', { name: 'Otherwise' }));
    await setTrackState(store, gone, 'taken_down', 'cli:test');
    const changes = await store.changes.since(catalog.position, ['track'], 1);
    const head = await store.changes.head();
    const { version } = catalog;
    expect(await catalog.apply(changes, changes[0]!.seq + 1_000)).toBe(head);
    expect(catalog.position).toBe(head);
    expect(catalog.version).toBeGreaterThan(version);
    expect(reads.builds).toBe(0);
    expect(catalog.locate([gone], {})).toEqual([undefined]);
    expect(await find({ text: 'newer' })).toEqual([1, 'Newer']);
    expect(await find({ text: 'otherwise' })).toEqual([1, 'Otherwise']);
    expect((await find({ text: 'changed' }))[0]).toBe(0);
    expect(await catalog.apply(changes, head)).toBe(head);
    expect(catalog.size).toBe(4);
  });

  it('builds its index again, once, if it is too far behind', async () => {
    await deliver(delivery('Old'));
    const { catalog, reads, find } = await live();
    await deliver(delivery('New'));
    const [, fresh] = await store.changes.since(0, ['track'], 10);
    await catalog.apply([fresh!], fresh!.seq + 49_999);
    expect(reads.builds).toBe(0);
    expect(await find({ text: 'new' })).toEqual([1, 'New']);
    await deliver(delivery('Newer'));
    const [newer] = await store.changes.since(catalog.position, ['track'], 10);
    await catalog.apply([newer!], newer!.seq + 50_000);
    expect(reads.builds).toBe(1);
    expect(catalog.position).toBe(newer!.seq);
    expect(await find({ text: 'newer' })).toEqual([1, 'Newer']);
    await catalog.apply([newer!], newer!.seq + 60_000);
    expect(reads.builds).toBe(1);
  });

  it('sets the latest popularity in each index that it loads or builds', async () => {
    const given: [number, string, ReadonlyMap<string, number>][] = [];
    let built = 0;
    const build = async () => {
      const { index, seq } = await indexSource(store).open();
      const place = ++built;
      vi.spyOn(index, 'setPopularity').mockImplementation(async (name, counts) => {
        given.push([place, name, counts]);
      });
      return { index, seq };
    };
    const catalog = new LiveCatalog({
      store: store.catalog,
      source: { open: build, build },
      languages: new LiveLanguages({ store: store.languages, original: 'en' }),
    });
    const [first, second] = [new Map([[idOf('A'), 1]]), new Map([[idOf('A'), 2]])];
    await catalog.setPopularity('live', first);
    expect(given).toEqual([]);
    await catalog.load();
    await catalog.setPopularity('live', second);
    expect(given).toEqual([
      [1, 'live', first],
      [1, 'live', second],
    ]);
    await deliver(delivery('A'));
    const changes = await store.changes.since(0, ['track'], 10);
    await catalog.apply(changes, 60_000);
    expect(given.slice(2)).toEqual([[2, 'live', second]]);
  });
});

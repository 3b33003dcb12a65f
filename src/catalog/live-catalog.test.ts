import { describe, expect, it, vi } from 'vitest';
import { indexSource } from '../../test/harness/index-source.ts';
import type { CatalogIndex } from './catalog-index.ts';
import {
  deliver,
  delivery,
  FIRST_TEN,
  idOf,
  live,
  questionsTo,
  store,
} from './live-catalog.test-support.ts';
import { LiveCatalog } from './live-catalog.ts';

describe('a live catalog', () => {
  it('knows the tracks it was loaded with, and all that changes afterwards', async () => {
    await deliver(delivery('Night'), delivery('Day'));
    const { catalog, catchUp, ask } = await live();
    expect(catalog.size).toBe(2);
    expect(await ask({ text: 'night' })).toEqual([1, 'Night']);

    await deliver(delivery('Dusk'), delivery('Day', { name: 'Daylight' }));
    await store.catalog.setState(idOf('Night'), 'taken_down', 'cli:test');
    await catchUp();
    expect(catalog.size).toBe(2);
    expect(await ask({ text: 'night' })).toEqual([0]);
    expect(await ask({ text: 'daylight' })).toEqual([1, 'Daylight']);
    expect(await ask({ text: 'dusk' })).toEqual([1, 'Dusk']);

    await store.catalog.setState(idOf('Night'), 'live', 'cli:test');
    await catchUp();
    expect(await ask({ text: 'night' })).toEqual([1, 'Night']);
    await store.catalog.removeSource('test', 'cli:test');
    await catchUp();
    expect(catalog.search({}, FIRST_TEN)).toEqual({ total: 0, rowIds: [] });
  });

  it('holds nothing before it is loaded, and drops no change then', async () => {
    await deliver(delivery('Night'));
    const catalog = new LiveCatalog({ store: store.catalog, source: indexSource(store) });
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
    expect(await questionsTo(catalog).ask({})).toEqual([1, 'Night']);
  });

  it('knows how far in the log it is, and passes over what it has taken in', async () => {
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

  it('takes ids in any case, duplicates, empty lists and texts', async () => {
    const filters = [
      { type: 'genre', name: 'Ambient' },
      { type: 'mood', name: 'Calm' },
    ] as const;
    await deliver(
      delivery('Both', { filters: [...filters], isrc: 'USUAN1100001' }),
      delivery('One', { filters: [filters[0]] }),
    );
    const { catalog, ask, rowIdsOf } = await live();
    const [ambient, calm] = catalog.filters();
    const both = [1, 'Both'];
    const empty = { filterSlugs: [], filterIds: [], text: '', isrc: '', songKey: '' };
    expect((await ask({ filterSlugs: ['ambient', 'ambient'], filterIds: [] }))[0]).toBe(2);
    expect((await ask(empty))[0]).toBe(2);
    expect(await ask({ filterIds: [calm!.id.toUpperCase(), calm!.id] })).toEqual(both);
    expect(await ask({ filterSlugs: ['calm'], filterIds: [ambient!.id] })).toEqual(both);
    expect(await ask({ isrc: 'usuan1100001' })).toEqual(both);
    expect(await ask({ filterSlugs: ['calm', 'loud'] })).toEqual([0]);
    expect(await ask({ filterIds: [idOf('loud')] })).toEqual([0]);
    expect(catalog.search({ filterSlugs: ['loud'] }, { ...FIRST_TEN, facets: true })).toEqual({
      total: 0,
      rowIds: [],
      facets: { filters: new Map(), types: new Map(), hasVocals: new Map() },
    });
    const ids = [idOf('One'), idOf('Gone'), idOf('Both')];
    const [one, two] = rowIdsOf('One', 'Both');
    expect(catalog.locate(ids, {})).toEqual([one, undefined, two]);
    expect(catalog.locate(ids, { filterSlugs: ['calm'] })).toEqual([undefined, undefined, two]);
    expect(catalog.locate(ids, { filterSlugs: ['loud'] })).toEqual(Array(3).fill(undefined));
  });

  it('passes every member of a question on to the index, spelled in one way', async () => {
    const questions: unknown[] = [];
    const index = {
      ...(await indexSource(store).open()).index,
      search: (...question: unknown[]) => {
        questions.push(question);
        return { total: 0, rowIds: [] };
      },
    } as unknown as CatalogIndex;
    const open = async () => ({ index, seq: 0 });
    const catalog = new LiveCatalog({ store: store.catalog, source: { open, build: open } });
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
    const ids = [idOf('A'), idOf('B')].sort();
    const asked = { text: 'Night ', songKey: 'c major', filterIds: ids, ...ranges };
    catalog.search({ ...asked, filterIds: ids.toReversed(), isrc: 'usuan1100001' }, page);
    expect(questions).toEqual([[{ ...asked, isrc: 'USUAN1100001' }, page]]);
  });

  it('answers a question asked before with what has changed since', async () => {
    await deliver(delivery('Night One'));
    const { catchUp, ask } = await live();
    expect(await ask({ text: 'night' })).toEqual([1, 'Night One']);
    expect(await ask({ text: 'night' })).toEqual([1, 'Night One']);
    await deliver(delivery('Night Two'));
    await catchUp();
    expect((await ask({ text: 'night' }))[0]).toBe(2);
    await store.catalog.setState(idOf('Night One'), 'taken_down', 'cli:test');
    await catchUp();
    expect(await ask({ text: 'night' })).toEqual([1, 'Night Two']);
  });

  it('builds its index anew, once, when it is too far behind', async () => {
    await deliver(delivery('Old'));
    const { catalog, reads, ask } = await live();
    await deliver(delivery('New'));
    const [, fresh] = await store.changes.since(0, ['track'], 10);
    await catalog.apply([fresh!], fresh!.seq + 49_999);
    expect(reads.builds).toBe(0);
    expect(await ask({ text: 'new' })).toEqual([1, 'New']);
    await deliver(delivery('Newer'));
    const [newer] = await store.changes.since(catalog.position, ['track'], 10);
    await catalog.apply([newer!], newer!.seq + 50_000);
    expect(reads.builds).toBe(1);
    expect(catalog.position).toBe(newer!.seq);
    expect(await ask({ text: 'newer' })).toEqual([1, 'Newer']);
    await catalog.apply([newer!], newer!.seq + 60_000);
    expect(reads.builds).toBe(1);
  });

  it('gives the index the popularity that was set last, whenever it was built', async () => {
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
    const catalog = new LiveCatalog({ store: store.catalog, source: { open: build, build } });
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

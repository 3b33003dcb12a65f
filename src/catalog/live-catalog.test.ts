import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Follower } from '../changes/follower.ts';
import { derivedId } from '../kernel/ids.ts';
import { indexSource } from '../search/build-index.ts';
import { openSqliteStore } from '../storage/sqlite/open.ts';
import type { Store } from '../storage/store.ts';
import type { CatalogIndex, IndexSource } from './catalog-index.ts';
import { type CatalogQuery, LiveCatalog, type LiveCatalogOptions } from './live-catalog.ts';
import type { TrackDelivery, TrackState } from './track.ts';

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-live-catalog-'));
  store = await openSqliteStore({ path: join(folder, 'stave.db'), clock: { now: () => 1e12 } });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

function idOf(name: string): string {
  return derivedId('test', name);
}

/** A track whose id comes from its key; by default its name is the key too. */
function delivery(key: string, values: Partial<TrackDelivery> = {}): TrackDelivery {
  return {
    id: idOf(key),
    source: 'test',
    externalId: key,
    name: key,
    slug: null,
    type: 'music',
    bpm: '',
    songKey: [],
    timeSignature: '',
    durationSeconds: 0,
    region: 'WORLD',
    releasedAt: 0,
    hasVocals: false,
    isPRO: false,
    tags: [],
    isrc: '',
    artists: [],
    filters: [],
    audioKey: null,
    artworkKey: null,
    ...values,
  };
}

async function deliver(...deliveries: TrackDelivery[]): Promise<void> {
  const session = await store.catalog.openDelivery('cli:test', 'batch');
  await session.deliver(deliveries);
  await session.close();
}

/** A live catalog and what keeps it up to date; the test says when. */
async function live(
  options: { documentCacheBytes?: number; afterReading?: () => Promise<void> } = {},
) {
  const reads = { documents: [] as number[][], filters: 0, builds: 0 };
  const catalog = new LiveCatalog({
    ...options,
    store: countingStore(reads, options.afterReading),
    source: countingSource(reads),
  });
  await catalog.load();
  const errors: unknown[] = [];
  const follower = new Follower({
    log: store.changes,
    entities: ['track'],
    from: catalog.position,
    apply: (changes, head) => catalog.apply(changes, head),
    onError: (error) => errors.push(error),
  });
  const catchUp = async () => {
    await follower.poll();
    expect(errors).toEqual([]);
  };
  return { catalog, catchUp, reads, ...questionsTo(catalog) };
}

/** The store, with a note of what was read from it. */
function countingStore(
  reads: { documents: number[][]; filters: number },
  afterReading = async () => {},
): LiveCatalogOptions['store'] {
  return {
    indexEntries: (ids) => store.catalog.indexEntries(ids),
    filters: () => {
      reads.filters++;
      return store.catalog.filters();
    },
    documents: async (tracks) => {
      reads.documents.push([...tracks]);
      const documents = await store.catalog.documents(tracks);
      await afterReading();
      return documents;
    },
  };
}

function countingSource(reads: { builds: number }): IndexSource {
  const source = indexSource(store);
  return {
    open: () => source.open(),
    build: (notBefore) => {
      reads.builds++;
      return source.build(notBefore);
    },
  };
}

/** What the tests ask of a catalog, in terms of the tracks' keys. */
function questionsTo(catalog: LiveCatalog) {
  const numbersOf = (...keys: string[]) => catalog.locate(keys.map(idOf), {}) as number[];
  const namesOf = async (numbers: readonly number[]) => {
    const documents = await catalog.documents(numbers);
    return documents.map((document) =>
      document === undefined ? '(none)' : JSON.parse(`${document.json}}`).name,
    );
  };
  return {
    numbersOf,
    namesOf,
    /** How many tracks match, and the names of the first ten. */
    ask: async (query: CatalogQuery) => {
      const { total, tracks } = catalog.search(query, FIRST_TEN);
      return [total, ...(await namesOf(tracks))];
    },
  };
}

const FIRST_TEN = { offset: 0, limit: 10 };

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
    expect(catalog.search({}, FIRST_TEN)).toEqual({ total: 0, tracks: [] });
  });

  it('holds nothing before it is loaded, and drops no change then', async () => {
    await deliver(delivery('Night'));
    const catalog = new LiveCatalog({ store: store.catalog, source: indexSource(store) });
    expect(catalog.size).toBe(0);
    expect(catalog.position).toBe(0);
    expect(catalog.search({}, FIRST_TEN)).toEqual({ total: 0, tracks: [] });
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
    const { catalog, ask, numbersOf } = await live();
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
      tracks: [],
      facets: { filters: new Map(), types: new Map(), hasVocals: new Map() },
    });
    const ids = [idOf('One'), idOf('Gone'), idOf('Both')];
    const [one, two] = numbersOf('One', 'Both');
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
        return { total: 0, tracks: [] };
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

describe('filters', () => {
  const genre = (name: string) => ({ type: 'genre' as const, name });
  const mood = (name: string) => ({ type: 'mood' as const, name });

  it('are listed by type and name, with counts that follow the changes', async () => {
    const { catalog, catchUp, ask } = await live();
    expect(catalog.filters()).toEqual([]);
    await deliver(
      delivery('A', { filters: [mood('Calm'), genre('Rock')] }),
      delivery('B', { filters: [mood('Angry'), mood('Calm')] }),
    );
    await catchUp();
    const counts = () => catalog.filters().map(({ slug, trackCount }) => `${slug} ${trackCount}`);
    expect(counts()).toEqual(['rock 1', 'angry 1', 'calm 2']);
    expect(catalog.filters('mood').map(({ slug }) => slug)).toEqual(['angry', 'calm']);
    expect(catalog.filters('use-case')).toEqual([]);
    expect(await ask({ filterSlugs: ['angry'] })).toEqual([1, 'B']);
    await store.catalog.setState(idOf('B'), 'taken_down', 'cli:test');
    await catchUp();
    expect(counts()).toEqual(['rock 1', 'angry 0', 'calm 1']);
    await store.catalog.removeSource('test', 'cli:test');
    await catchUp();
    expect(counts()).toEqual([]);
  });

  it('are read again only when a change may have brought one or taken one away', async () => {
    await deliver(delivery('A', { filters: [mood('Calm')] }));
    const { catalog, catchUp, reads } = await live();
    const readsFor = async (change: () => Promise<unknown>) => {
      const before = reads.filters;
      await change();
      await catchUp();
      return reads.filters - before;
    };
    const calm = { filters: [mood('Calm')] };
    expect(await readsFor(() => deliver(delivery('B', calm)))).toBe(0);
    expect(await readsFor(() => deliver(delivery('B', { ...calm, name: 'B2' })))).toBe(0);
    const setState = (state: TrackState) => store.catalog.setState(idOf('B'), state, 'cli:test');
    expect(await readsFor(() => setState('taken_down'))).toBe(0);
    // A track that is not live brings a filter all the same.
    expect(await readsFor(() => deliver(delivery('B', { filters: [mood('Late')] })))).toBe(1);
    expect(catalog.filters().map(({ slug }) => slug)).toEqual(['calm', 'late']);
    expect(await readsFor(() => setState('live'))).toBe(0);
    expect(await readsFor(() => deliver(delivery('C', { filters: [genre('Rock')] })))).toBe(1);
    // The same filter by another name, within one batch.
    const renamed = async () => {
      await store.catalog.removeSource('test', 'cli:test');
      await deliver(delivery('D', { filters: [mood('CALM')] }));
    };
    expect(await readsFor(renamed)).toBe(1);
    expect(catalog.filters().map(({ name }) => name)).toEqual(['CALM']);
  });

  it('complete a text in whose every word a word of theirs begins, most used first', async () => {
    await deliver(
      delivery('A', { filters: [genre('Drum & Bass'), genre('Dance'), genre('Bässe')] }),
      delivery('B', { filters: [genre('Dance'), mood('Dreamy')] }),
      delivery('C', { filters: [genre('Dub')] }),
    );
    await store.catalog.setState(idOf('C'), 'taken_down', 'cli:test');
    const { catalog } = await live();
    const completing = (text: string, limit = 10) =>
      catalog.suggest(text, limit).filters.map(({ name, trackCount }) => `${name} ${trackCount}`);
    expect(completing('d')).toEqual(['Dance 2', 'Dreamy 1', 'Drum & Bass 1']);
    expect(completing('d', 2)).toEqual(['Dance 2', 'Dreamy 1']);
    expect(completing('BASS')).toEqual(['Bässe 1', 'Drum & Bass 1']);
    expect(completing('bas dr')).toEqual(['Drum & Bass 1']);
    expect(completing('ance')).toEqual([]);
    expect(completing(' & ')).toEqual([]);
    expect(completing('')).toEqual([]);
  });
});

describe('documents', () => {
  it('are read from the store until they are shown again, and handed out at once from then on', async () => {
    await deliver(delivery('A'), delivery('B'));
    const { catalog, reads, numbersOf } = await live();
    const [a, b] = numbersOf('A', 'B') as [number, number];
    const first = catalog.documents([a, 1_000]);
    expect(first).toBeInstanceOf(Promise);
    expect((await first).map((document) => document?.id)).toEqual([idOf('A'), undefined]);
    const second = await catalog.documents([b, a]);
    expect(second.map((document) => document?.id)).toEqual([idOf('B'), idOf('A')]);
    await catalog.documents([a, b]);
    expect(reads.documents).toEqual([[a, 1_000], [b, a], [b]]);
    const fourth = catalog.documents([a, b]);
    expect(Array.isArray(fourth)).toBe(true);
    expect(catalog.documents([])).toEqual([]);
  });

  it('are forgotten when their track changes', async () => {
    await deliver(delivery('A'), delivery('B'));
    const { catchUp, reads, numbersOf, namesOf } = await live();
    const both = numbersOf('A', 'B');
    for (let i = 0; i < 3; i++) {
      expect(await namesOf(both)).toEqual(['A', 'B']);
    }
    await deliver(delivery('A', { name: 'A2' }));
    await store.catalog.setState(idOf('B'), 'taken_down', 'cli:test');
    await catchUp();
    expect(await namesOf(both)).toEqual(['A2', '(none)']);
    expect(reads.documents).toHaveLength(3);
  });

  it('read before a change are not kept beyond it', async () => {
    await deliver(delivery('A'));
    const gate = Promise.withResolvers<void>();
    const { catchUp, numbersOf, namesOf } = await live({ afterReading: () => gate.promise });
    const numbers = numbersOf('A');
    const early = [namesOf(numbers), namesOf(numbers)];
    // Let the store be read before the change is written.
    await store.catalog.counts();
    await deliver(delivery('A', { name: 'A2' }));
    await catchUp();
    gate.resolve();
    expect(await Promise.all(early)).toEqual([['A'], ['A']]);
    expect(await namesOf(numbers)).toEqual(['A2']);
  });

  it('take no more memory than they may', async () => {
    const keys = Array.from({ length: 40 }, (_, i) => `Track ${i}`);
    await deliver(...keys.map((key) => delivery(key, { tags: ['x'.repeat(1_000)] })));
    const { catalog, reads, numbersOf } = await live({ documentCacheBytes: 20_000 });
    const numbers = numbersOf(...keys);
    for (const number of [...numbers, ...numbers]) {
      await catalog.documents([number]);
    }
    await catalog.documents([numbers[0]!]);
    await catalog.documents([numbers[39]!]);
    expect(reads.documents).toHaveLength(81);
    expect(reads.documents.at(-1)).toEqual([numbers[0]]);
  });
});

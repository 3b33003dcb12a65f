import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Follower } from '../changes/follower.ts';
import { derivedId } from '../kernel/ids.ts';
import { buildIndex } from '../search/build-index.ts';
import { openSqliteStore } from '../storage/sqlite/open.ts';
import type { Store } from '../storage/store.ts';
import { LiveCatalog, type LiveCatalogOptions } from './live-catalog.ts';
import type { TrackDelivery } from './track.ts';

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
  const from = await store.changes.head();
  const { counting, reads } = countingReads(options.afterReading);
  const catalog = new LiveCatalog({ ...options, store: counting, buildIndex });
  await catalog.load(from);
  const errors: unknown[] = [];
  const follower = new Follower({
    log: store.changes,
    entities: ['track'],
    from,
    apply: (changes, head) => catalog.apply(changes, head),
    onError: (error) => errors.push(error),
  });
  const catchUp = async () => {
    await follower.poll();
    expect(errors).toEqual([]);
  };
  return { catalog, catchUp, reads };
}

/** The store, with a note of which documents and how many whole catalogs were read from it. */
function countingReads(afterReading = async () => {}) {
  const reads = { documents: [] as string[][], catalogs: 0 };
  const counting: LiveCatalogOptions['store'] = {
    allIndexEntries: () => {
      reads.catalogs++;
      return store.catalog.allIndexEntries();
    },
    indexEntries: (ids) => store.catalog.indexEntries(ids),
    filters: () => store.catalog.filters(),
    documents: async (ids) => {
      reads.documents.push([...ids]);
      const documents = await store.catalog.documents(ids);
      await afterReading();
      return documents;
    },
  };
  return { counting, reads };
}

async function namesOf(catalog: LiveCatalog, ids: readonly string[]): Promise<string[]> {
  const documents = await catalog.documents(ids);
  return documents.map((document) =>
    document === undefined ? '(none)' : JSON.parse(`${document.json}}`).name,
  );
}

describe('a live catalog', () => {
  it('knows the tracks it was loaded with, and all that changes afterwards', async () => {
    await deliver(delivery('Night'), delivery('Day'));
    const { catalog, catchUp } = await live();
    expect(catalog.size).toBe(2);
    expect(catalog.search({ text: 'night' }, 0, 10).ids).toEqual([idOf('Night')]);

    await deliver(delivery('Dusk'), delivery('Day', { name: 'Daylight' }));
    await store.catalog.setState(idOf('Night'), 'taken_down', 'cli:test');
    await catchUp();
    expect(catalog.size).toBe(2);
    expect(catalog.search({ text: 'night' }, 0, 10).total).toBe(0);
    expect(catalog.search({ text: 'daylight' }, 0, 10).ids).toEqual([idOf('Day')]);
    expect(catalog.search({ text: 'dusk' }, 0, 10).ids).toEqual([idOf('Dusk')]);

    await store.catalog.setState(idOf('Night'), 'live', 'cli:test');
    await catchUp();
    expect(catalog.search({ text: 'night' }, 0, 10).ids).toEqual([idOf('Night')]);
    await store.catalog.removeSource('test', 'cli:test');
    await catchUp();
    expect(catalog.search({}, 0, 10)).toEqual({ total: 0, ids: [] });
  });

  it('holds nothing before it is loaded, and drops no change then', async () => {
    await deliver(delivery('Night'));
    const catalog = new LiveCatalog({ store: store.catalog, buildIndex });
    expect(catalog.size).toBe(0);
    expect(catalog.search({}, 0, 10)).toEqual({ total: 0, ids: [] });
    expect(catalog.retain([idOf('Night')], {})).toEqual([]);
    expect(catalog.filters()).toEqual([]);
    const changes = await store.changes.since(0, ['track'], 10);
    await expect(catalog.apply(changes)).rejects.toThrow('not loaded');
    await catalog.load(0);
    await catalog.apply(changes);
    expect(catalog.search({}, 0, 10)).toEqual({ total: 1, ids: [idOf('Night')] });
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
    const { catalog } = await live();
    const [ambient, calm] = catalog.filters();
    const both = { total: 1, ids: [idOf('Both')] };
    const ask = (query: Parameters<LiveCatalog['search']>[0]) => catalog.search(query, 0, 10);
    expect(ask({ filterSlugs: ['ambient', 'ambient'], filterIds: [] }).total).toBe(2);
    expect(ask({ filterSlugs: [], filterIds: [], text: '', isrc: '' }).total).toBe(2);
    expect(ask({ filterIds: [calm!.id.toUpperCase(), calm!.id] })).toEqual(both);
    expect(ask({ filterSlugs: ['calm'], filterIds: [ambient!.id] })).toEqual(both);
    expect(ask({ isrc: 'usuan1100001' })).toEqual(both);
    expect(ask({ filterSlugs: ['calm', 'loud'] })).toEqual({ total: 0, ids: [] });
    expect(ask({ filterIds: [idOf('loud')] })).toEqual({ total: 0, ids: [] });
    const ids = [idOf('One'), idOf('Gone'), idOf('Both')];
    expect(catalog.retain(ids, {})).toEqual([idOf('One'), idOf('Both')]);
    expect(catalog.retain(ids, { filterSlugs: ['calm'] })).toEqual([idOf('Both')]);
    expect(catalog.retain(ids, { filterSlugs: ['loud'] })).toEqual([]);
  });

  it('lists every filter by type and name, with counts that follow the changes', async () => {
    const { catalog, catchUp } = await live();
    expect(catalog.filters()).toEqual([]);
    await deliver(
      delivery('A', {
        filters: [
          { type: 'mood', name: 'Calm' },
          { type: 'genre', name: 'Rock' },
        ],
      }),
      delivery('B', {
        filters: [
          { type: 'mood', name: 'Angry' },
          { type: 'mood', name: 'Calm' },
        ],
      }),
    );
    await catchUp();
    const counts = () => catalog.filters().map(({ slug, trackCount }) => `${slug} ${trackCount}`);
    expect(counts()).toEqual(['rock 1', 'angry 1', 'calm 2']);
    expect(catalog.filters('mood').map(({ slug }) => slug)).toEqual(['angry', 'calm']);
    expect(catalog.filters('use-case')).toEqual([]);
    expect(catalog.search({ filterSlugs: ['angry'] }, 0, 10).ids).toEqual([idOf('B')]);
    await store.catalog.setState(idOf('B'), 'taken_down', 'cli:test');
    await catchUp();
    expect(counts()).toEqual(['rock 1', 'angry 0', 'calm 1']);
    await store.catalog.removeSource('test', 'cli:test');
    await catchUp();
    expect(counts()).toEqual([]);
  });

  it('answers a text asked before with what has changed since', async () => {
    await deliver(delivery('Night One'));
    const { catalog, catchUp } = await live();
    const found = () => catalog.search({ text: 'night' }, 0, 10).total;
    expect([found(), found()]).toEqual([1, 1]);
    await deliver(delivery('Night Two'));
    await catchUp();
    expect(found()).toBe(2);
    await store.catalog.setState(idOf('Night One'), 'taken_down', 'cli:test');
    await catchUp();
    expect(found()).toBe(1);
  });

  it('loads anew, once, when it is too far behind', async () => {
    await deliver(delivery('Old'));
    const { catalog, reads } = await live();
    await deliver(delivery('New'));
    const changes = await store.changes.since(0, ['track'], 10);
    const [, fresh] = changes;
    await catalog.apply([fresh!], fresh!.seq + 5_000);
    expect(reads.catalogs).toBe(2);
    expect(catalog.search({ text: 'new' }, 0, 10).ids).toEqual([idOf('New')]);
    await catalog.apply([{ ...fresh!, seq: fresh!.seq + 1 }], fresh!.seq + 60_000);
    expect(reads.catalogs).toBe(2);
  });
});

describe('documents', () => {
  it('are read from the store once, and handed out at once from then on', async () => {
    await deliver(delivery('A'), delivery('B'));
    const { catalog, reads } = await live();
    const first = catalog.documents([idOf('A'), idOf('gone')]);
    expect(first).toBeInstanceOf(Promise);
    expect((await first).map((document) => document?.id)).toEqual([idOf('A'), undefined]);
    const second = await catalog.documents([idOf('B'), idOf('A')]);
    expect(second.map((document) => document?.id)).toEqual([idOf('B'), idOf('A')]);
    expect(reads.documents).toEqual([[idOf('A'), idOf('gone')], [idOf('B')]]);
    const third = catalog.documents([idOf('A'), idOf('B')]);
    expect(Array.isArray(third)).toBe(true);
    expect(catalog.documents([])).toEqual([]);
  });

  it('are forgotten when their track changes', async () => {
    await deliver(delivery('A'), delivery('B'));
    const { catalog, catchUp, reads } = await live();
    const ids = [idOf('A'), idOf('B')];
    expect(await namesOf(catalog, ids)).toEqual(['A', 'B']);
    await deliver(delivery('A', { name: 'A2' }));
    await store.catalog.setState(idOf('B'), 'taken_down', 'cli:test');
    await catchUp();
    expect(await namesOf(catalog, ids)).toEqual(['A2', '(none)']);
    expect(reads.documents).toHaveLength(2);
  });

  it('read before a change are not kept beyond it', async () => {
    await deliver(delivery('A'));
    const gate = Promise.withResolvers<void>();
    const { catalog, catchUp } = await live({ afterReading: () => gate.promise });
    const early = namesOf(catalog, [idOf('A')]);
    // Let the store be read before the change is written.
    await store.catalog.counts();
    await deliver(delivery('A', { name: 'A2' }));
    await catchUp();
    gate.resolve();
    expect(await early).toEqual(['A']);
    expect(await namesOf(catalog, [idOf('A')])).toEqual(['A2']);
  });

  it('take no more memory than they may', async () => {
    const keys = Array.from({ length: 40 }, (_, i) => `Track ${i}`);
    await deliver(...keys.map((key) => delivery(key, { tags: ['x'.repeat(1_000)] })));
    const { catalog, reads } = await live({ documentCacheBytes: 20_000 });
    for (const key of keys) {
      await catalog.documents([idOf(key)]);
    }
    await catalog.documents([idOf(keys[0]!)]);
    await catalog.documents([idOf(keys[39]!)]);
    expect(reads.documents).toHaveLength(41);
    expect(reads.documents.at(-1)).toEqual([idOf(keys[0]!)]);
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { indexSource } from '../../../../test/harness/index-source.ts';
import { openSqliteStore } from '../../../app/open/open-sqlite.ts';
import { derivedId } from '../../../common/ids.ts';
import { Follower } from '../../../engines/change-log/follower.ts';
import type { IndexSource } from '../../../engines/search/catalog-index.ts';
import type { Store } from '../../store.ts';
import type { TrackDelivery } from '../track.ts';
import { parseDocument } from '../track-document.ts';
import type { CatalogQuery } from './catalog-query.ts';
import { LiveCatalog, type LiveCatalogOptions } from './live-catalog.ts';
import { LiveLanguages } from './live-languages.ts';

let folder: string;

export let store: Store;

/** Opens an empty store before each test of a file. */
export function openStoreForEachTest(): void {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stave-live-catalog-'));
    store = await openSqliteStore({ path: join(folder, 'stave.db'), clock: { now: () => 1e12 } });
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
}

export function idOf(name: string): string {
  return derivedId('test', name);
}

/** A track whose id is derived from its key. Its name is the key by default. */
export function delivery(key: string, values: Partial<TrackDelivery> = {}): TrackDelivery {
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

export async function deliver(...deliveries: TrackDelivery[]): Promise<void> {
  const session = await store.catalog.openDelivery('cli:test', 'batch');
  await session.deliver(deliveries);
  await session.close();
}

/** A live catalog and its follower. The test calls `catchUp` to apply changes. */
export async function live(
  options: { documentCacheBytes?: number; afterReading?: () => Promise<void> } = {},
) {
  const reads = { documents: [] as number[][], filters: 0, builds: 0 };
  const catalog = new LiveCatalog({
    languages: new LiveLanguages({ store: store.languages, original: 'en' }),
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
  return { catalog, catchUp, reads, ...searchMethodsOf(catalog) };
}

/** The store. It records its reads. */
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

/** Methods to search a catalog by the keys of the tests. */
export function searchMethodsOf(catalog: LiveCatalog) {
  const rowIdsOf = (...keys: string[]) => catalog.locate(keys.map(idOf), {}) as number[];
  const namesOf = async (rowIds: readonly number[]) => {
    const documents = await catalog.documents(rowIds);
    return documents.map((document) =>
      document === undefined ? '(none)' : parseDocument(document).name,
    );
  };
  return {
    rowIdsOf,
    namesOf,
    /** Returns the number of matching tracks, and the names of the first ten. */
    find: async (query: CatalogQuery) => {
      const { total, rowIds } = catalog.search(query, FIRST_TEN);
      return [total, ...(await namesOf(rowIds))];
    },
  };
}

export const FIRST_TEN = { offset: 0, limit: 10 };

import { LRUCache } from 'lru-cache';
import type { Change } from '../changes/change-log.ts';
import type { BuildIndex, CatalogIndex, IndexPage, IndexQuery } from './catalog-index.ts';
import type { CountedFilter, Filter, FilterType } from './filter.ts';
import type { CatalogStore } from './store.ts';
import type { TrackDocument } from './track.ts';

/**
 * A question to the catalog as a caller asks it: ids in either case, duplicates allowed, empty
 * lists and texts as if not given. A filter that does not exist matches nothing.
 */
export interface CatalogQuery extends IndexQuery {
  /** A track must carry every one of them, besides the `filterIds`. */
  filterSlugs?: readonly string[];
}

export interface LiveCatalogOptions {
  store: Pick<CatalogStore, 'allIndexEntries' | 'indexEntries' | 'documents' | 'filters'>;
  buildIndex: BuildIndex;
  /** Bound on the documents kept in memory; 64 MB by default. */
  documentCacheBytes?: number;
}

/**
 * With this many changes to catch up with, as during an import, the index is built anew, a few
 * milliseconds at a time: taking them in one batch after the other would cost more in all.
 */
const RELOAD_BEYOND_CHANGES = 5_000;

/** How many pages of text searches are kept: a few megabytes at the most. */
const MAX_TEXT_PAGES = 1_000;

/** What a cached document takes besides its bytes: keys, objects, the cache's own bookkeeping. */
const DOCUMENT_OVERHEAD_BYTES = 400;

/** What is searched until the catalog is loaded. */
const NOTHING: CatalogIndex = {
  size: 0,
  search: () => ({ total: 0, ids: [] }),
  retain: () => [],
  filterCounts: () => new Map(),
  apply() {
    throw new Error('The catalog is not loaded yet');
  },
};

/**
 * The live tracks as the endpoints see them: searched in memory, shown from a cache of documents,
 * kept up to date by the change log. Everything but a document's first reading is synchronous.
 */
export class LiveCatalog {
  readonly #options: LiveCatalogOptions;
  readonly #documents: LRUCache<string, TrackDocument>;
  /** What texts found, for the many who ask the same; forgotten with each change. */
  readonly #textPages = new LRUCache<string, IndexPage>({ max: MAX_TEXT_PAGES });
  #index: CatalogIndex = NOTHING;
  #filters: readonly Filter[] = [];
  #filterIdBySlug: ReadonlyMap<string, string> = new Map();
  #countedFilters: readonly CountedFilter[] | undefined;
  /** Rises with each change taken in; tells whether a document was read before it. */
  #generation = 0;
  /** Changes up to here are in the index already, for it was loaded whole after them. */
  #loadedSeq = 0;

  /** Empty until `load`. */
  constructor(options: LiveCatalogOptions) {
    this.#options = options;
    this.#documents = new LRUCache({
      maxSize: options.documentCacheBytes ?? 64 * 1024 * 1024,
      sizeCalculation: ({ json }) => json.length + DOCUMENT_OVERHEAD_BYTES,
    });
  }

  /**
   * Reads all live tracks, beside the ones it shows until then. `head` is the end of the change log
   * before the call: what it covers need not be applied again.
   */
  async load(head: number): Promise<void> {
    const { store, buildIndex } = this.#options;
    const index = await buildIndex(store.allIndexEntries());
    const filters = await store.filters();
    this.#index = index;
    this.#loadedSeq = head;
    this.#documents.clear();
    this.#takeFilters(filters);
  }

  /** How many live tracks there are. */
  get size(): number {
    return this.#index.size;
  }

  /** Ids in the order of decisions §4, with the exact total. */
  search(query: CatalogQuery, offset: number, limit: number): Readonly<IndexPage> {
    const resolved = this.#resolve(query);
    if (resolved === undefined) {
      return { total: 0, ids: [] };
    }
    // Without a text the index answers quicker than a key could be made.
    return resolved.text === undefined
      ? this.#index.search(resolved, offset, limit)
      : this.#searchText(resolved, offset, limit);
  }

  #searchText(query: IndexQuery, offset: number, limit: number): IndexPage {
    const { text, type, hasVocals, isrc, filterIds } = query;
    const key = JSON.stringify([text, type, hasVocals, isrc, filterIds, offset, limit]);
    let page = this.#textPages.get(key);
    if (page === undefined) {
      page = this.#index.search(query, offset, limit);
      this.#textPages.set(key, page);
    }
    return page;
  }

  /** Those of the ids that are live and match, in the order given. */
  retain(ids: readonly string[], query: CatalogQuery): string[] {
    const resolved = this.#resolve(query);
    return resolved === undefined ? [] : this.#index.retain(ids, resolved);
  }

  /**
   * The documents in the order of the ids; undefined for what is no longer live. At once where all
   * of them are in memory, else with one reading of the store for the rest.
   */
  documents(
    ids: readonly string[],
  ): (TrackDocument | undefined)[] | Promise<(TrackDocument | undefined)[]> {
    const documents = ids.map((id) => this.#documents.get(id));
    return documents.includes(undefined) ? this.#withMissing(ids, documents) : documents;
  }

  /** Every filter, or those of a type, ordered by type and name, with counts of live tracks. */
  filters(type?: FilterType): CountedFilter[] {
    if (this.#countedFilters === undefined) {
      const counts = this.#index.filterCounts();
      this.#countedFilters = this.#filters.map((filter) => ({
        ...filter,
        trackCount: counts.get(filter.id) ?? 0,
      }));
    }
    return this.#countedFilters.filter((filter) => type === undefined || filter.type === type);
  }

  /**
   * Takes in what the log says of tracks, in order; visible when the promise resolves. `head` is
   * how far the log went: a catalog too far behind it is loaded anew beside the old one, and
   * changes that the load has seen are passed over. Calls must not overlap.
   */
  async apply(changes: readonly Change[], head: number = changes.at(-1)?.seq ?? 0): Promise<void> {
    const news = changes.filter(({ entity, seq }) => entity === 'track' && seq > this.#loadedSeq);
    if (news.length === 0) {
      return;
    }
    if (head - news[0]!.seq >= RELOAD_BEYOND_CHANGES) {
      await this.load(head);
      return;
    }
    const { store } = this.#options;
    const ids = [...new Set(news.map(({ entityId }) => entityId))];
    const entries = await store.indexEntries(ids);
    const filters = await store.filters();
    const live = new Set(entries.map(({ id }) => id));
    await this.#index.apply(
      entries,
      ids.filter((id) => !live.has(id)),
    );
    for (const id of ids) {
      this.#documents.delete(id);
    }
    this.#takeFilters(filters);
  }

  #takeFilters(filters: readonly Filter[]): void {
    this.#filters = filters;
    this.#filterIdBySlug = new Map(filters.map(({ slug, id }) => [slug, id]));
    this.#countedFilters = undefined;
    this.#textPages.clear();
    this.#generation++;
  }

  async #withMissing(
    ids: readonly string[],
    documents: readonly (TrackDocument | undefined)[],
  ): Promise<(TrackDocument | undefined)[]> {
    const generation = this.#generation;
    const missing = ids.filter((_, i) => documents[i] === undefined);
    const read = await this.#options.store.documents(missing);
    let next = 0;
    return documents.map((document) => {
      const found = document ?? read[next++];
      // Read before a change that has been taken in since, it may be the old one: not kept.
      if (document === undefined && found !== undefined && generation === this.#generation) {
        this.#documents.set(found.id, found);
      }
      return found;
    });
  }

  /** The question as the index understands it; undefined where a filter does not exist. */
  #resolve(query: CatalogQuery): IndexQuery | undefined {
    const { filterIds = [], filterSlugs = [], isrc, ...rest } = query;
    const wanted = new Set(filterIds.map((id) => id.toLowerCase()));
    for (const slug of filterSlugs) {
      const id = this.#filterIdBySlug.get(slug);
      if (id === undefined) {
        return undefined;
      }
      wanted.add(id);
    }
    return {
      ...rest,
      ...(wanted.size > 0 && { filterIds: [...wanted] }),
      ...(isrc && { isrc: isrc.toUpperCase() }),
    };
  }
}

import { LRUCache } from 'lru-cache';
import { RecentKeys } from '../../../common/memory/caches.ts';
import type {
  IndexFacets,
  IndexPage,
  IndexQuery,
  PageRequest,
} from '../../../engines/search/catalog-index.ts';

/** The greatest size of the cached pages, and of the cached facets. */
const MAX_BYTES = 16 * 1024 * 1024;
/** The memory of an entry besides its row ids, and of a counted filter with its serialized text. */
const OVERHEAD_BYTES = 300;
const FACET_BYTES = 180;

/** The slots for recent queries. */
const RECENT_SLOTS = 1 << 14;

/** Caches the results of queries from their second request on. Must be cleared after each change. */
export class PageCache {
  readonly #pages = new LRUCache<string, IndexPage>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ rowIds }, key) => OVERHEAD_BYTES + key.length + rowIds.length * 8,
  });
  /** The key is the query alone, because facets are the same for each page in any order. */
  readonly #facets = new LRUCache<string, IndexFacets>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ filters }, key) => OVERHEAD_BYTES + key.length + filters.size * FACET_BYTES,
  });
  readonly #recent = new RecentKeys(RECENT_SLOTS);

  /**
   * Returns the cached page, or calls `find` for it. `find` need not compute what is cached. Equal queries
   * should be normalized to one form.
   */
  getOrFind(
    query: IndexQuery,
    { facets: withFacets, ...request }: PageRequest,
    find: (request: PageRequest) => IndexPage,
  ): Readonly<IndexPage> {
    if (!withFacets) return this.#page(query, request, () => find(request));
    const key = `facets ${JSON.stringify(query)}`;
    const known = this.#facets.get(key);
    if (known !== undefined) {
      return { ...this.#page(query, request, () => find(request)), facets: known };
    }
    const page = find({ ...request, facets: true });
    if (this.#recent.rememberText(key)) this.#facets.set(key, page.facets!);
    return page;
  }

  #page(query: IndexQuery, request: PageRequest, find: () => IndexPage): IndexPage {
    // A page of all tracks in catalog order is only a slice, which costs less than a cache key.
    if (isEmpty(query) && request.sort === undefined) return find();
    const key = JSON.stringify([query, request]);
    let page = this.#pages.get(key);
    if (page === undefined) {
      page = find();
      if (this.#recent.rememberText(key)) this.#pages.set(key, page);
    }
    return page;
  }

  clear(): void {
    this.#pages.clear();
    this.#facets.clear();
    this.#recent.clear();
  }
}

function isEmpty(query: IndexQuery): boolean {
  for (const _ in query) return false;
  return true;
}

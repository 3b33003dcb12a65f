import { LRUCache } from 'lru-cache';
import { Repeats } from '../kernel/repeats.ts';
import type { IndexFacets, IndexPage, IndexQuery, PageRequest } from './catalog-index.ts';

/** Bound on the pages, and on the facets. */
const MAX_BYTES = 16 * 1024 * 1024;
/** What an entry takes besides its numbers, and what a counted filter takes, with the text written of it. */
const OVERHEAD_BYTES = 300;
const FACET_BYTES = 180;

/** So many questions that were asked are remembered. */
const ASKED_PLACES = 1 << 14;

/**
 * What questions found, for the many who ask the same, from the second of them on; to be cleared with
 * each change.
 */
export class PageCache {
  readonly #pages = new LRUCache<string, IndexPage>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ tracks }, key) => OVERHEAD_BYTES + key.length + tracks.length * 8,
  });
  /** By the question alone: they are the same for each of its pages, in any order. */
  readonly #facets = new LRUCache<string, IndexFacets>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ filters }, key) => OVERHEAD_BYTES + key.length + filters.size * FACET_BYTES,
  });
  readonly #asked = new Repeats(ASKED_PLACES);

  /**
   * The page as it was found before, else as `find` finds it now; what is known of a request need not be
   * found. Equal questions should be spelled alike.
   */
  through(
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
    if (this.#asked.hasText(key)) this.#facets.set(key, page.facets!);
    return page;
  }

  #page(query: IndexQuery, request: PageRequest, find: () => IndexPage): IndexPage {
    // Everything, in the order of the catalog, is a slice: the key alone would cost more.
    if (isEmpty(query) && request.sort === undefined) return find();
    const key = JSON.stringify([query, request]);
    let page = this.#pages.get(key);
    if (page === undefined) {
      page = find();
      if (this.#asked.hasText(key)) this.#pages.set(key, page);
    }
    return page;
  }

  clear(): void {
    this.#pages.clear();
    this.#facets.clear();
    this.#asked.clear();
  }
}

function isEmpty(query: IndexQuery): boolean {
  for (const _ in query) return false;
  return true;
}

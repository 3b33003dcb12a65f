import { LRUCache } from 'lru-cache';
import { Repeats } from '../kernel/repeats.ts';
import type { IndexPage, IndexQuery, PageRequest } from './catalog-index.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** What an entry takes besides its numbers, and what a counted facet takes. */
const OVERHEAD_BYTES = 300;
const FACET_BYTES = 60;

/** So many questions that were asked are remembered. */
const ASKED_PLACES = 1 << 14;

/**
 * What questions found, for the many who ask the same, from the second of them on; to be cleared with
 * each change.
 */
export class PageCache {
  readonly #pages = new LRUCache<string, IndexPage>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ tracks, facets }, key) =>
      OVERHEAD_BYTES + key.length + tracks.length * 8 + (facets?.filters.size ?? 0) * FACET_BYTES,
  });

  readonly #asked = new Repeats(ASKED_PLACES);

  /** The page as it was found before, else as it is found now. Equal questions should be spelled alike. */
  through(query: IndexQuery, request: PageRequest, find: () => IndexPage): Readonly<IndexPage> {
    // Everything, in the order of the catalog, is a slice: the key alone would cost more.
    if (isWhole(query) && isBare(request)) return find();
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
    this.#asked.clear();
  }
}

function isWhole(query: IndexQuery): boolean {
  for (const _ in query) return false;
  return true;
}

function isBare({ sort, facets }: PageRequest): boolean {
  return sort === undefined && !facets;
}

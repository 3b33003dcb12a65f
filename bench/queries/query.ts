import type {
  CatalogIndex,
  IndexQuery,
  IndexSort,
} from '../../src/engines/search/catalog-index.ts';

/** The request of a caller for a page of tracks. */
export interface SearchQuery {
  indexQuery: IndexQuery;
  /** From 1. */
  page: number;
  pageSize: number;
  sort?: IndexSort;
  facets?: boolean;
}

/** Completions of a text. */
interface SuggestQuery {
  suggest: string;
  limit: number;
}

/** A query for the engine, for Stave over HTTP, and for its peers. */
export type BenchQuery = SearchQuery | SuggestQuery;

/**
 * Executes a query on the engine. Returns the number of results, so that the work cannot be optimized away.
 *
 * @param aliases whether it searches translations, too
 */
export function queryIndex(index: CatalogIndex, query: BenchQuery, aliases = false): number {
  if ('suggest' in query) {
    return index.suggest(query.suggest, query.limit, aliases).length;
  }
  const { indexQuery, page, pageSize, sort, facets } = query;
  return index.search(aliases ? { ...indexQuery, aliases } : indexQuery, {
    offset: (page - 1) * pageSize,
    limit: pageSize,
    ...(sort !== undefined && { sort }),
    ...(facets !== undefined && { facets }),
  }).total;
}

/** Returns the path and query string of a query over HTTP. Equal queries have equal paths. */
export function pathOf(query: BenchQuery): string {
  if ('suggest' in query) {
    return `/v1/suggest?q=${encodeURIComponent(query.suggest)}&limit=${query.limit}`;
  }
  const { indexQuery, page, pageSize, sort, facets } = query;
  const { text, releasedFrom, releasedTo, ...rest } = indexQuery;
  const members: Record<string, unknown> = {
    search: text,
    ...rest,
    releasedFrom: releasedFrom && new Date(releasedFrom).toISOString(),
    releasedTo: releasedTo && new Date(releasedTo).toISOString(),
    sort,
    facets,
    page,
    pageSize,
  };
  const pairs = Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return `/v1/tracks?${pairs.join('&')}`;
}

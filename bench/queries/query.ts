import type { CatalogIndex, IndexQuery, TrackSort } from '../../src/catalog/catalog-index.ts';

/** A page of tracks, as a caller asks for it. */
export interface SearchQuery {
  question: IndexQuery;
  /** From 1. */
  page: number;
  pageSize: number;
  sort?: TrackSort;
  facets?: boolean;
}

/** Completions of a text. */
interface SuggestQuery {
  suggest: string;
  limit: number;
}

/** What all that is measured is asked: the engine, Stave over HTTP, and its peers. */
export type BenchQuery = SearchQuery | SuggestQuery;

/** Asks the engine; returns how much it found, so that no work can be optimized away. */
export function askIndex(index: CatalogIndex, query: BenchQuery): number {
  if ('suggest' in query) {
    return index.suggest(query.suggest, query.limit).length;
  }
  const { question, page, pageSize, sort, facets } = query;
  return index.search(question, {
    offset: (page - 1) * pageSize,
    limit: pageSize,
    ...(sort !== undefined && { sort }),
    ...(facets !== undefined && { facets }),
  }).total;
}

/** Path and query string of the same question over HTTP; equal questions have equal ones. */
export function pathOf(query: BenchQuery): string {
  if ('suggest' in query) {
    return `/v1/suggest?q=${encodeURIComponent(query.suggest)}&limit=${query.limit}`;
  }
  const { question, page, pageSize, sort, facets } = query;
  const { text, releasedFrom, releasedTo, ...rest } = question;
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

import type {
  CatalogIndex,
  IndexPage,
  PageRequest,
} from '../../../engines/search/catalog-index.ts';

/** The index of a catalog that is not loaded yet. */
export const NO_INDEX: CatalogIndex = {
  size: 0,
  search: (_query, page) => nothingFound(page),
  locate: (ids) => ids.map(() => undefined),
  suggest: () => [],
  similar: async () => undefined,
  filterCounts: () => new Map(),
  setPopularity: async () => {},
  hide: () => {},
  show: () => {},
  apply: notLoaded,
  catchUp: notLoaded,
};

function notLoaded(): never {
  throw new Error('The catalog is not loaded yet');
}

/** The result of a query that matches nothing. */
export function nothingFound({ facets }: PageRequest): IndexPage {
  const none = () => ({ filters: new Map(), types: new Map(), hasVocals: new Map() });
  return { total: 0, rowIds: [], ...(facets && { facets: none() }) };
}

import type { CatalogIndex, IndexPage, PageRequest } from './catalog-index.ts';

/** What is searched until the catalog is loaded. */
export const NO_INDEX: CatalogIndex = {
  size: 0,
  search: (_query, page) => nothingFound(page),
  locate: (ids) => ids.map(() => undefined),
  suggest: () => [],
  filterCounts: () => new Map(),
  setPopularity: async () => {},
  apply() {
    throw new Error('The catalog is not loaded yet');
  },
};

/** The answer to a question that nothing matches. */
export function nothingFound({ facets }: PageRequest): IndexPage {
  const none = () => ({ filters: new Map(), types: new Map(), hasVocals: new Map() });
  return { total: 0, tracks: [], ...(facets && { facets: none() }) };
}

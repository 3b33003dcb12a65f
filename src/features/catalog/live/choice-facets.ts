import type { IndexFacets, IndexQuery } from '../../../engines/search/catalog-index.ts';
import type { FilterType } from '../track.ts';
import type { LiveFilters } from './live-filters.ts';

/**
 * Returns the facets of a query in which the filters of a type that has a group in `anyFilterIds` are counted as if each
 * were the only choice of its type: the number of tracks that meet the rest of the query and carry it. So are `vocals` and `ai`.
 * @param counted the facets of the query
 * @param facetsOf returns the facets of another query; called once for each group
 */
export function choiceFacets(
  query: IndexQuery,
  counted: IndexFacets,
  facetsOf: (query: IndexQuery) => IndexFacets,
  filters: Pick<LiveFilters, 'typeOf'>,
): IndexFacets {
  const { anyFilterIds = [], ...others } = query;
  const { vocals, ...ofAnyVocals } = query;
  const { ai, ...ofAnyShare } = query;
  if (anyFilterIds.length === 0 && vocals === undefined && ai === undefined) return counted;
  const openTypes = new Map<FilterType | undefined, IndexFacets>();
  for (const group of anyFilterIds) {
    const rest = anyFilterIds.filter((one) => one !== group);
    const open = { ...others, ...(rest.length > 0 && { anyFilterIds: rest }) };
    openTypes.set(filters.typeOf(group[0]!), facetsOf(open));
  }
  const counts = new Map<string, number>();
  for (const facets of [counted, ...openTypes.values()]) {
    for (const [id, count] of facets.filters) {
      if ((openTypes.get(filters.typeOf(id)) ?? counted) === facets) counts.set(id, count);
    }
  }
  return {
    ...counted,
    filters: counts,
    vocals: (vocals === undefined ? counted : facetsOf(ofAnyVocals)).vocals,
    ai: (ai === undefined ? counted : facetsOf(ofAnyShare)).ai,
  };
}

import { type IndexQuery, TEXT_FIELDS } from '../../../engines/search/catalog-index.ts';
import type { LiveFilters } from './live-filters.ts';

/** A query as a caller sends it: ids in either case, repetitions allowed; empty lists and texts count as absent. */
export interface CatalogQuery extends IndexQuery {
  /** A track must have all of these filters, in addition to the `filterIds`. */
  filterSlugs?: readonly string[];
}

/** Converts a query into one normalized form for the index; undefined if a filter does not exist. */
export function resolveQuery(
  query: CatalogQuery,
  filters: Pick<LiveFilters, 'idOf'>,
): IndexQuery | undefined {
  const { text, in: fields, aliases, filterIds, filterSlugs, isrc, songKey, ...rest } = query;
  const resolved: IndexQuery = rest;
  if (text) resolved.text = text;
  if (text && aliases) resolved.aliases = true;
  const searched = TEXT_FIELDS.filter((field) => text && fields?.includes(field));
  if (searched.length > 1 || (searched[0] ?? 'name') !== 'name') resolved.in = searched;
  if (isrc) resolved.isrc = isrc.toUpperCase();
  if (songKey) resolved.songKey = songKey;
  if (filterIds?.length || filterSlugs?.length) {
    const wanted = new Set(filterIds?.map((id) => id.toLowerCase()));
    for (const slug of filterSlugs ?? []) {
      const id = filters.idOf(slug);
      if (id === undefined) return undefined;
      wanted.add(id);
    }
    resolved.filterIds = [...wanted].sort();
  }
  return resolved;
}

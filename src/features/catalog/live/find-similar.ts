import type { CatalogIndex } from '../../../engines/search/catalog-index.ts';
import type { SimilarQuery, SimilarTrack } from '../../../engines/search/similar-tracks.ts';
import { resolveQuery } from './catalog-query.ts';
import type { LiveFilters } from './live-filters.ts';

/** A query for similar tracks as a caller sends it; an empty list counts as absent. */
export interface SimilarRequest extends Omit<SimilarQuery, 'filterIds'> {
  filterSlugs?: readonly string[];
}

/** A similar track, with the slugs of the shared filters in ascending order. */
export interface SimilarItem extends Omit<SimilarTrack, 'sharedFilterIds'> {
  sharedFilters: readonly string[];
}

/** Finds similar tracks; undefined if the seed is not live. An unknown filter matches nothing. */
export async function findSimilar(
  index: Pick<CatalogIndex, 'similar' | 'locate'>,
  filters: Pick<LiveFilters, 'idOf' | 'slugOf' | 'compared'>,
  { filterSlugs = [], ...query }: SimilarRequest,
): Promise<SimilarItem[] | undefined> {
  const resolved = resolveQuery({ filterSlugs }, filters);
  if (resolved === undefined) return index.locate([query.id], {})[0] === undefined ? undefined : [];
  const { filterIds } = resolved;
  const found = await index.similar(
    { ...query, ...(filterIds !== undefined && { filterIds }) },
    filters.compared,
  );
  return found?.map(({ sharedFilterIds, ...track }) => ({
    ...track,
    sharedFilters: sharedFilterIds
      .map((id) => filters.slugOf(id))
      .filter((slug) => slug !== undefined)
      .sort(),
  }));
}

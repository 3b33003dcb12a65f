import type { Caller } from '../../../common/caller.ts';
import type { Handled } from '../../../engines/http/route/route.ts';
import { pageOrDefault } from '../../../engines/http/schemas.ts';
import type { CatalogQuery } from '../../catalog/live/catalog-query.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import { filterWarnings } from './filter-warnings.ts';
import { licensableRestriction, type RegionGroupsOf } from './licensable-in.ts';
import { facetsJson } from './track-facets.ts';
import type { EnvelopeResponse, TrackPages } from './track-page.ts';
import { catalogQuery, requestedPage, type TrackQuery } from './track-query.ts';

/** What the endpoints that query the catalog work with. */
export interface TrackSources {
  catalog: Pick<LiveCatalog, 'search' | 'filters' | 'unknownFilters'>;
  pages: Pick<TrackPages, 'page'>;
  regionGroups: RegionGroupsOf;
}

/** What a query is restricted by beside its own members: only tracks that were created in a time, and of regions. */
type Restriction = Pick<CatalogQuery, 'rowIdAbove' | 'rowIdTo' | 'regions' | 'territories'>;

/**
 * Returns one page of the tracks that match a query. With `licensableIn`, the response depends on the rate card of the
 * caller, and callers for whom the same regions count share it.
 */
export function foundTracks(
  sources: TrackSources,
  query: TrackQuery,
  caller: Caller,
): Handled | Promise<Handled> {
  const restriction = licensableRestriction(query, caller.clientId, sources.regionGroups);
  return restriction === undefined
    ? tracksResponse(sources, query, caller)
    : {
        sharedAs: restriction.regions.join(),
        make: () => tracksResponse(sources, query, caller, restriction),
      };
}

/** Returns one page of the tracks that match, synchronously if their documents are in memory. */
export function tracksResponse(
  { catalog, pages }: Pick<TrackSources, 'catalog' | 'pages'>,
  query: TrackQuery,
  caller: Caller,
  restriction: Restriction = {},
): EnvelopeResponse | Promise<EnvelopeResponse> {
  const { page, pageSize } = pageOrDefault(query);
  const { total, rowIds, facets } = catalog.search(
    { ...catalogQuery(query), ...restriction, ...(caller.language && { aliases: true }) },
    requestedPage(query, caller.mode),
  );
  const frame = {
    totalRecords: total,
    page,
    pageSize,
    facets:
      facets && facetsJson(facets, catalog.filters(undefined, caller.language), catalog.filters()),
    warnings: filterWarnings(catalog, query),
  };
  return pages.page(frame, rowIds, caller);
}

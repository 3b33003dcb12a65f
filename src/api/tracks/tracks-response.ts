import type { Caller } from '../../access/caller.ts';
import type { CatalogQuery } from '../../catalog/catalog-query.ts';
import type { LiveCatalog } from '../../catalog/live-catalog.ts';
import { pageOrDefault } from '../schemas/page.ts';
import { filterWarnings } from './filter-warnings.ts';
import { facetsJson } from './track-facets.ts';
import type { EnvelopeResponse, TrackPages } from './track-page.ts';
import { catalogQuery, requestedPage, type TrackQuery } from './track-query.ts';

/** What the endpoints that query the catalog work with. */
export interface TrackSources {
  catalog: Pick<LiveCatalog, 'search' | 'filters' | 'unknownFilters'>;
  pages: Pick<TrackPages, 'page'>;
}

/** Only the tracks that were created in a time. */
type CreatedRange = Pick<CatalogQuery, 'rowIdAbove' | 'rowIdTo'>;

/** Returns one page of the tracks that match, synchronously if their documents are in memory. */
export function tracksResponse(
  { catalog, pages }: TrackSources,
  query: TrackQuery,
  caller: Caller,
  created: CreatedRange = {},
): EnvelopeResponse | Promise<EnvelopeResponse> {
  const { page, pageSize } = pageOrDefault(query);
  const { total, rowIds, facets } = catalog.search(
    { ...catalogQuery(query), ...created },
    requestedPage(query, caller.mode),
  );
  const frame = {
    totalRecords: total,
    page,
    pageSize,
    facets: facets && facetsJson(facets, catalog.filters()),
    warnings: filterWarnings(catalog, query),
  };
  return pages.page(frame, rowIds, caller);
}

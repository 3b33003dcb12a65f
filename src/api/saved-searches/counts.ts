import { setImmediate as pause } from 'node:timers/promises';
import type { Static } from 'typebox';
import type { LiveCatalog } from '../../catalog/live-catalog.ts';
import {
  type SavedSearch,
  type SavedSearchCounts,
  shownSavedSearch,
} from '../../catalog/saved-search.ts';
import {
  catalogQuery,
  type SavedQuery,
  searchedQuery,
  type TrackQuery,
} from '../tracks/track-query.ts';

/** The number of searches that are counted before other requests get a turn: some milliseconds. */
const COUNTED_AT_ONCE = 4;

type Catalog = Pick<LiveCatalog, 'search'>;

/** Returns the query of a saved search. */
export function savedQuery({ query }: Pick<SavedSearch, 'query'>): TrackQuery {
  return searchedQuery(JSON.parse(query) as Static<typeof SavedQuery>);
}

/** Returns saved searches as they are shown, with their counts. */
export async function shownSearches(catalog: Catalog, searches: readonly SavedSearch[]) {
  const shown = [];
  for (const [i, saved] of searches.entries()) {
    if (i > 0 && i % COUNTED_AT_ONCE === 0) await pause();
    shown.push(shownSavedSearch(saved, countsOf(catalog, saved)));
  }
  return shown;
}

/** Returns the response with one saved search, whose `ETag` names the version. */
export function savedSearchResponse(catalog: Catalog, saved: SavedSearch) {
  return { data: shownSavedSearch(saved, countsOf(catalog, saved)), version: saved.version };
}

/** Counts in the index, as of now. */
function countsOf(catalog: Catalog, saved: SavedSearch): SavedSearchCounts {
  const query = catalogQuery(savedQuery(saved));
  const count = (range: { rowIdAbove?: number }) =>
    catalog.search({ ...query, ...range }, { offset: 0, limit: 0 }).total;
  return { totalRecords: count({}), newCount: count({ rowIdAbove: saved.seenRowId }) };
}

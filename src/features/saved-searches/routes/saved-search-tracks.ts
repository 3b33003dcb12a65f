import { setImmediate as pause } from 'node:timers/promises';
import type { Static } from 'typebox';
import { type Caller, seesLanguages } from '../../../common/caller.ts';
import type { ClientRegistry } from '../../access/registry.ts';
import type { CatalogQuery } from '../../catalog/live/catalog-query.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import { warningsAbout } from '../../tracks/routes/query-warnings.ts';
import {
  catalogQuery,
  licensableRestriction,
  mayAsk,
  type RegionGroupsOf,
  type SavedQuery,
  searchedQuery,
  type TrackQuery,
} from '../../tracks/routes/track-query.ts';
import type { TrackFinder } from '../../webhooks/saved-search-matches.ts';
import { type SavedSearch, type SavedSearchCounts, shownSavedSearch } from '../saved-search.ts';

/** After so many searches, which take some milliseconds, other requests get a turn. */
const COUNTED_AT_ONCE = 4;

interface Counter {
  catalog: Pick<LiveCatalog, 'hasKey' | 'languages' | 'search' | 'unknownFilters'>;
  regionGroups: RegionGroupsOf;
}

export function savedQuery({ query }: Pick<SavedSearch, 'query'>): TrackQuery {
  return searchedQuery(JSON.parse(query) as Static<typeof SavedQuery>);
}

/**
 * Returns the query of the catalog for a client with these features and scopes; undefined if these do not allow it.
 */
function queryFor(
  saved: Pick<SavedSearch, 'query'>,
  { clientId, ...rights }: Pick<Caller, 'clientId' | 'features' | 'scopes'>,
  regionGroups: RegionGroupsOf,
): CatalogQuery | undefined {
  const query = savedQuery(saved);
  if (!mayAsk(query, rights)) return undefined;
  return {
    ...catalogQuery(query),
    ...(seesLanguages(rights) && { aliases: true }),
    ...licensableRestriction(query, clientId, regionGroups),
  };
}

export async function shownSearches(
  counter: Counter,
  searches: readonly SavedSearch[],
  caller: Caller,
) {
  const shown = [];
  for (const [i, saved] of searches.entries()) {
    if (i > 0 && i % COUNTED_AT_ONCE === 0) await pause();
    shown.push(shownSavedSearch(saved, countsOf(counter, saved, caller)));
  }
  return shown;
}

export function savedSearchResponse(counter: Counter, saved: SavedSearch, caller: Caller) {
  return {
    data: shownSavedSearch(saved, countsOf(counter, saved, caller)),
    version: saved.version,
  };
}

/** Returns the response to an edit, which also says what the search names and the catalog does not have. */
export function editedSearchResponse(counter: Counter, saved: SavedSearch, caller: Caller) {
  const { data, version } = savedSearchResponse(counter, saved, caller);
  const { songKey, ...query } = savedQuery(saved);
  const warnings = warningsAbout(counter.catalog, {
    unknown: counter.catalog.unknownFilters(query),
    songKey: data.totalRecords === 0 ? songKey : undefined,
  }).map(({ field, message }) => ({ field: `search.${field}`, message }));
  return { data: { ...data, ...(warnings.length > 0 && { warnings }) }, version };
}

/** A search finds nothing while the rights of its client do not allow its query. */
function countsOf(
  { catalog, regionGroups }: Counter,
  saved: SavedSearch,
  caller: Caller,
): SavedSearchCounts {
  const query = queryFor(saved, caller, regionGroups);
  if (query === undefined) return { totalRecords: 0, newCount: 0 };
  const count = (range: { rowIdAbove?: number }) =>
    catalog.search({ ...query, ...range }, { offset: 0, limit: 0 }).total;
  return { totalRecords: count({}), newCount: count({ rowIdAbove: saved.seenRowId }) };
}

interface FinderSources {
  catalog: Pick<LiveCatalog, 'position' | 'search' | 'version'>;
  registry: Pick<ClientRegistry, 'find' | 'version'>;
  regionGroups: RegionGroupsOf;
  /** Rises whenever `regionGroups` may return other groups. */
  groupsVersion(): number;
}

/** Finds the tracks of saved searches in the catalog of this node. */
export function savedTrackFinder({
  catalog,
  registry,
  regionGroups,
  groupsVersion,
}: FinderSources): TrackFinder {
  return {
    async state() {
      // Each of them only rises, so the sum rises with any of them.
      const version = catalog.version + registry.version + groupsVersion();
      return { position: catalog.position, version };
    },
    async find({ clientId, query: saved }, { limit, ...range }) {
      const client = registry.find(clientId);
      const query = client && queryFor({ query: saved }, { ...client, clientId }, regionGroups);
      if (query === undefined) return { total: 0, rowIds: [] };
      const page = { offset: 0, limit, sort: 'created' } as const;
      return catalog.search({ ...query, ...range }, page);
    },
  };
}

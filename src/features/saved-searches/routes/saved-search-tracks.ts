import { setImmediate as pause } from 'node:timers/promises';
import type { Static } from 'typebox';
import { type Caller, seesLanguages } from '../../../common/caller.ts';
import type { ClientRegistry } from '../../access/registry.ts';
import type { CatalogQuery } from '../../catalog/live/catalog-query.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
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

/** The number of searches that are counted before other requests get a turn: some milliseconds. */
const COUNTED_AT_ONCE = 4;

/** What searches are counted with. */
interface Counter {
  catalog: Pick<LiveCatalog, 'search'>;
  regionGroups: RegionGroupsOf;
}

/** Returns the query of a saved search. */
export function savedQuery({ query }: Pick<SavedSearch, 'query'>): TrackQuery {
  return searchedQuery(JSON.parse(query) as Static<typeof SavedQuery>);
}

/**
 * Returns what a saved search asks of the catalog for a client, with the features of the client and the scopes of a
 * token; undefined while it may not ask for it.
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

/** Returns saved searches as they are shown, with their counts. */
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

/** Returns the response with one saved search, whose `ETag` names the version. */
export function savedSearchResponse(counter: Counter, saved: SavedSearch, caller: Caller) {
  return {
    data: shownSavedSearch(saved, countsOf(counter, saved, caller)),
    version: saved.version,
  };
}

/** Counts in the index, as of now. A search finds nothing while its client may not ask for what it contains. */
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

/** What the finder works with. */
interface FinderSources {
  catalog: Pick<LiveCatalog, 'position' | 'search' | 'version'>;
  registry: Pick<ClientRegistry, 'find' | 'version'>;
  regionGroups: RegionGroupsOf;
  /** Rises whenever `regionGroups` may return others. */
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

import type { Route } from '../../../engines/http/route/route.ts';
import type { SavedSearchDependencies } from './dependencies.ts';
import {
  createSavedSearch,
  deleteSavedSearch,
  markSavedSearchSeen,
  updateSavedSearch,
} from './edit-saved-searches.ts';
import {
  listSavedSearches,
  listSavedSearchTracks,
  showSavedSearch,
} from './read-saved-searches.ts';

/** Returns the operations on saved searches (docs/contract/saved-searches.md). */
export function savedSearchRoutes(deps: SavedSearchDependencies): Route[] {
  return [
    createSavedSearch(deps),
    listSavedSearches(deps),
    showSavedSearch(deps),
    updateSavedSearch(deps),
    deleteSavedSearch(deps),
    listSavedSearchTracks(deps),
    markSavedSearchSeen(deps),
  ];
}

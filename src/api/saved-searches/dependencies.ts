import type { SavedSearchStore } from '../../catalog/saved-search.ts';
import type { Clock } from '../../common/clock.ts';
import type { TrackSources } from '../tracks/tracks-response.ts';

/** What the operations on saved searches need. */
export interface SavedSearchDependencies extends TrackSources {
  store: { savedSearches: SavedSearchStore };
  clock: Clock;
}

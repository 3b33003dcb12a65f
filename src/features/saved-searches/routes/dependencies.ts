import type { Clock } from '../../../common/clock.ts';
import type { TrackSources } from '../../tracks/routes/find-tracks.ts';
import type { SavedSearchStore } from '../store/saved-search-store.ts';

/** What the operations on saved searches need. */
export interface SavedSearchDependencies extends TrackSources {
  store: { savedSearches: SavedSearchStore };
  clock: Clock;
}

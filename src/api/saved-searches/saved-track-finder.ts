import type { LiveCatalog } from '../../catalog/live-catalog.ts';
import type { TrackFinder } from '../../changes/webhooks/saved-search-matches.ts';
import { catalogQuery } from '../tracks/track-query.ts';
import { savedQuery } from './counts.ts';

/** Finds the tracks of saved searches in the catalog of this node. */
export function savedTrackFinder(
  catalog: Pick<LiveCatalog, 'position' | 'search' | 'version'>,
): TrackFinder {
  return {
    get position() {
      return catalog.position;
    },
    get version() {
      return catalog.version;
    },
    find(query, { limit, ...range }) {
      const page = { offset: 0, limit, sort: 'created' } as const;
      return catalog.search({ ...catalogQuery(savedQuery({ query })), ...range }, page);
    },
  };
}

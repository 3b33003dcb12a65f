import type { ClientRegistry } from '../../access/registry.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import type { RegionGroupsOf } from '../../tracks/routes/track-query.ts';
import type { TrackFinder } from '../../webhooks/saved-search-matches.ts';
import { queryFor } from './counts.ts';

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

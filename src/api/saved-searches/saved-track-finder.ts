import type { ClientRegistry } from '../../access/registry.ts';
import type { LiveCatalog } from '../../catalog/live-catalog.ts';
import type { TrackFinder } from '../../changes/webhooks/saved-search-matches.ts';
import { mayAsk, type RegionGroupsOf, regionsOf } from '../tracks/licensable-in.ts';
import { catalogQuery } from '../tracks/track-query.ts';
import { savedQuery } from './counts.ts';

/** What the finder works with. */
interface FinderSources {
  catalog: Pick<LiveCatalog, 'position' | 'search' | 'version'>;
  registry: Pick<ClientRegistry, 'find'>;
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
      return { position: catalog.position, version: catalog.version + groupsVersion() };
    },
    async find({ clientId, query: saved }, { limit, ...range }) {
      const query = savedQuery({ query: saved });
      const client = registry.find(clientId);
      if (client === undefined || !mayAsk(query, client)) return { total: 0, rowIds: [] };
      const regions = regionsOf(query, clientId, regionGroups);
      const page = { offset: 0, limit, sort: 'created' } as const;
      return catalog.search(
        { ...catalogQuery(query), ...(regions && { regions }), ...range },
        page,
      );
    },
  };
}

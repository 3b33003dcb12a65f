import type { Clock } from '../../common/clock.ts';
import type { SqlDatabase } from '../../engines/sql/database.ts';
import type { ClientFollowers } from '../../features/access/store/client-store.ts';
import { ownCollections } from '../../features/collections/store/collection-queries.ts';
import { grantToNewClient } from '../../features/playlists/store/playlist-grants.ts';
import { followTerms } from '../../features/webhooks/store/webhook-chains.ts';
import { discardStray, endpointsOf } from '../../features/webhooks/store/webhook-discards.ts';

/** Returns what playlists, collections and webhooks do when clients change. */
export function clientFollowers(database: SqlDatabase, clock: Clock): ClientFollowers {
  return {
    created: grantToNewClient,
    // Messages of what was off must not be sent when it is on.
    async settle(clientRowId) {
      const only = await endpointsOf(database.queries, clientRowId);
      await discardStray(database, clock, { only });
    },
    changed: (queries, terms) =>
      followTerms(queries, database.dialect, { ...terms, now: clock.now() }),
    async deleting({ queries, log }, id, by) {
      // They are deleted with their owner (ON DELETE CASCADE).
      const collections = await ownCollections(queries, id);
      return async () => {
        for (const { id: collectionId, mode, readers } of collections) {
          const cause = { by, batchId: null, clientId: id, mode };
          await log('collection', [['deleted', collectionId, readers]], cause);
        }
      };
    },
  };
}

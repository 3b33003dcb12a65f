import type { Clock } from '../../common/clock.ts';
import { SqlIdempotencyStore } from '../../engines/idempotency/idempotency-store.ts';
import type { SqlDatabase } from '../../engines/sql/database.ts';
import { SqlSettingStore } from '../../engines/sql/sql-setting-store.ts';
import { unchangedSince } from '../../engines/sql/unchanged-since.ts';
import { SqlLeaseStore } from '../../engines/tasks/lease-store.ts';
import { SqlNodeStore } from '../../engines/tasks/node-store.ts';
import { SqlClientRequestStore } from '../../features/access/store/client-request-store.ts';
import { SqlClientStore } from '../../features/access/store/client-store.ts';
import { SqlConsoleStore } from '../../features/access/store/console-store.ts';
import { SqlKeyStore } from '../../features/access/store/key-store.ts';
import { SqlAvailabilityStore } from '../../features/availability/store/availability-store.ts';
import { SqlBatchStore } from '../../features/catalog/store/batch-store.ts';
import { SqlTrackMessageStore } from '../../features/catalog/store/track-message-store.ts';
import { CollectionChanges } from '../../features/collections/store/collection-changes.ts';
import { SqlCollectionStore } from '../../features/collections/store/collection-store.ts';
import { SqlCollectionTrackStore } from '../../features/collections/store/collection-track-store.ts';
import { SqlLanguageStore } from '../../features/languages/store/language-store.ts';
import { SqlIssuedLicenseStore } from '../../features/licensing/store/issued-license-store.ts';
import { SqlLicenseKeyStore } from '../../features/licensing/store/license-key-store.ts';
import { SqlLicenseStore } from '../../features/licensing/store/license-store.ts';
import { SqlQuoteStore } from '../../features/licensing/store/quote-store.ts';
import { SqlRateCardStore } from '../../features/licensing/store/rate-card-store.ts';
import { SqlMediaRequestStore } from '../../features/media/store/media-request-store.ts';
import { SqlPlaylistStore } from '../../features/playlists/store/playlist-store.ts';
import { SqlRenditionClaimStore } from '../../features/renditions/store/rendition-claim-store.ts';
import { SqlRenditionStore } from '../../features/renditions/store/rendition-store.ts';
import { SqlSavedSearchStore } from '../../features/saved-searches/store/saved-search-store.ts';
import type { Store } from '../../features/store.ts';
import { SqlReferenceStore } from '../../features/takedown/store/reference-store.ts';
import { SqlTrackFinder } from '../../features/takedown/store/track-finder.ts';
import { SqlCueSheetStore } from '../../features/usage/store/cue-sheet-store.ts';
import { SqlUsageRecordStore } from '../../features/usage/store/usage-record-store.ts';
import { SqlUsageStore } from '../../features/usage/store/usage-store.ts';
import { SqlDeliveryStore } from '../../features/webhooks/store/delivery-store.ts';
import { SqlFanOutStore } from '../../features/webhooks/store/fan-out-store.ts';
import { SqlMatchStore } from '../../features/webhooks/store/match-store.ts';
import { SqlSenderStore } from '../../features/webhooks/store/sender-store.ts';
import { SqlWebhookStore } from '../../features/webhooks/store/webhook-store.ts';
import { clientFollowers } from './client-followers.ts';

/** The stores that both databases share. */
export type SqlStores = Pick<
  Store,
  | 'availability'
  | 'batches'
  | 'clientRequests'
  | 'clients'
  | 'collections'
  | 'collectionTracks'
  | 'console'
  | 'cueSheets'
  | 'idempotency'
  | 'issuedLicenses'
  | 'keys'
  | 'languages'
  | 'leases'
  | 'licenseKeys'
  | 'licenses'
  | 'mediaRequests'
  | 'nodes'
  | 'playlists'
  | 'quotes'
  | 'rateCards'
  | 'references'
  | 'renditionClaims'
  | 'renditions'
  | 'savedSearches'
  | 'settings'
  | 'trackFinder'
  | 'trackMessages'
  | 'unchangedSince'
  | 'usage'
  | 'usageRecords'
  | 'webhookDeliveries'
  | 'webhookFanOut'
  | 'webhookMatches'
  | 'webhookSending'
  | 'webhooks'
>;

/** Opens these stores on a database. */
export function sqlStoresOn(database: SqlDatabase, clock: Clock): SqlStores {
  const settings = new SqlSettingStore(database);
  const collections = new CollectionChanges(database, clock);
  return {
    availability: new SqlAvailabilityStore(database, clock),
    batches: new SqlBatchStore(database, clock),
    clientRequests: new SqlClientRequestStore(database),
    clients: new SqlClientStore(database, clock, clientFollowers(database, clock)),
    collections: new SqlCollectionStore(collections),
    collectionTracks: new SqlCollectionTrackStore(collections),
    console: new SqlConsoleStore(database),
    cueSheets: new SqlCueSheetStore(database),
    idempotency: new SqlIdempotencyStore(database, clock),
    issuedLicenses: new SqlIssuedLicenseStore(database, clock),
    keys: new SqlKeyStore(database, clock),
    languages: new SqlLanguageStore(database, clock),
    leases: new SqlLeaseStore(database),
    licenseKeys: new SqlLicenseKeyStore(database, clock),
    licenses: new SqlLicenseStore(database),
    mediaRequests: new SqlMediaRequestStore(database),
    nodes: new SqlNodeStore(database),
    playlists: new SqlPlaylistStore(database, clock),
    quotes: new SqlQuoteStore(database, clock),
    rateCards: new SqlRateCardStore(database, clock),
    references: new SqlReferenceStore(database),
    renditionClaims: new SqlRenditionClaimStore(database),
    renditions: new SqlRenditionStore(database),
    savedSearches: new SqlSavedSearchStore(database, clock),
    settings,
    trackFinder: new SqlTrackFinder(database, clock),
    trackMessages: new SqlTrackMessageStore(database),
    unchangedSince: (seq) => {
      const guarded = unchangedSince(database, seq);
      return {
        clients: new SqlClientStore(guarded, clock, clientFollowers(guarded, clock)),
        playlists: new SqlPlaylistStore(guarded, clock),
        rateCards: new SqlRateCardStore(guarded, clock),
        trackFinder: new SqlTrackFinder(guarded, clock),
        webhooks: new SqlWebhookStore(guarded, clock),
      };
    },
    usage: new SqlUsageStore(database, settings, clock),
    usageRecords: new SqlUsageRecordStore(database),
    webhookDeliveries: new SqlDeliveryStore(database, clock),
    webhookFanOut: new SqlFanOutStore(database, clock),
    webhookMatches: new SqlMatchStore(database),
    webhookSending: new SqlSenderStore(database, clock),
    webhooks: new SqlWebhookStore(database, clock),
  };
}

import type { Clock } from '../../common/clock.ts';
import { SqlIdempotencyStore } from '../../engines/idempotency/idempotency-store.ts';
import type { SqlDatabase } from '../../engines/sql/database.ts';
import { SqlSettingStore } from '../../engines/sql/sql-setting-store.ts';
import { unchangedSince } from '../../engines/sql/unchanged-since.ts';
import { SqlLeaseStore } from '../../engines/tasks/lease-store.ts';
import { SqlNodeStore } from '../../engines/tasks/node-store.ts';
import type { Store } from '../store.ts';
import { SqlAvailabilityStore } from './availability-store.ts';
import { SqlBatchStore } from './batch-store.ts';
import { clientFollowers } from './client-followers.ts';
import { SqlClientRequestStore } from './client-request-store.ts';
import { SqlClientStore } from './client-store.ts';
import { CollectionChanges } from './collection-changes.ts';
import { SqlCollectionStore } from './collection-store.ts';
import { SqlCollectionTrackStore } from './collection-track-store.ts';
import { SqlConsoleStore } from './console-store.ts';
import { SqlCueSheetStore } from './cue-sheet-store.ts';
import { SqlDeliveryStore } from './delivery-store.ts';
import { SqlFanOutStore } from './fan-out-store.ts';
import { SqlIssuedLicenseStore } from './issued-license-store.ts';
import { SqlKeyStore } from './key-store.ts';
import { SqlLanguageStore } from './language-store.ts';
import { SqlLicenseKeyStore } from './license-key-store.ts';
import { SqlLicenseStore } from './license-store.ts';
import { SqlMatchStore } from './match-store.ts';
import { SqlMediaRequestStore } from './media-request-store.ts';
import { SqlPlaylistStore } from './playlist-store.ts';
import { SqlQuoteStore } from './quote-store.ts';
import { SqlRateCardStore } from './rate-card-store.ts';
import { SqlReferenceStore } from './reference-store.ts';
import { SqlRenditionClaimStore } from './rendition-claim-store.ts';
import { SqlRenditionStore } from './rendition-store.ts';
import { SqlSavedSearchStore } from './saved-search-store.ts';
import { SqlSenderStore } from './sender-store.ts';
import { SqlTrackFinder } from './track-finder.ts';
import { SqlTrackMessageStore } from './track-message-store.ts';
import { SqlUsageRecordStore } from './usage-record-store.ts';
import { SqlUsageStore } from './usage-store.ts';
import { SqlWebhookStore } from './webhook-store.ts';

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

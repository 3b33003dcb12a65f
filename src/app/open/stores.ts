import type { Clock } from '../../common/clock.ts';
import type { Log } from '../../common/log.ts';
import type { WaitPolicy } from '../../common/work/wait-policy.ts';
import { IdempotencyStore } from '../../engines/idempotency/idempotency-store.ts';
import type { SqlDatabase } from '../../engines/sql/database.ts';
import { SettingStore } from '../../engines/sql/setting-store.ts';
import { unchangedSince } from '../../engines/sql/unchanged-since.ts';
import { LeaseStore } from '../../engines/tasks/lease.ts';
import { NodeStore } from '../../engines/tasks/nodes.ts';
import { CallStore } from '../../features/access/store/call-store.ts';
import { ClientRequestStore } from '../../features/access/store/client-request-store.ts';
import { ClientSessionStore } from '../../features/access/store/client-session-store.ts';
import { type ClientFollowers, ClientStore } from '../../features/access/store/client-store.ts';
import { KeyStore } from '../../features/access/store/key-store.ts';
import { OperatorStore } from '../../features/access/store/operator-store.ts';
import { SeatStore } from '../../features/access/store/seat-store.ts';
import { AvailabilityStore } from '../../features/availability/store/availability-store.ts';
import { SynonymStore } from '../../features/briefs/store/synonym-store.ts';
import { AudioPropertyStore } from '../../features/catalog/store/audio-property-store.ts';
import { BatchStore } from '../../features/catalog/store/batch-store.ts';
import type { OpenDelivery } from '../../features/catalog/store/catalog-store.ts';
import { SourceProvenanceStore } from '../../features/catalog/store/source-provenance-store.ts';
import { TrackEditStore } from '../../features/catalog/store/track-edit-store.ts';
import { TrackMessageStore } from '../../features/catalog/store/track-message-store.ts';
import { ownCollections } from '../../features/collections/store/collection-queries.ts';
import { CollectionStore } from '../../features/collections/store/collection-store.ts';
import { CollectionTrackStore } from '../../features/collections/store/collection-track-store.ts';
import { GuestStore } from '../../features/collections/store/guest-store.ts';
import { endLinks, LinkStore } from '../../features/collections/store/link-store.ts';
import { LanguageStore } from '../../features/languages/store/language-store.ts';
import { IssuedLicenseStore } from '../../features/licensing/store/issued-license-store.ts';
import { LicenseDownloadStore } from '../../features/licensing/store/license-download-store.ts';
import { LicenseKeyStore } from '../../features/licensing/store/license-key-store.ts';
import { LicenseStore } from '../../features/licensing/store/license-store.ts';
import { QuoteStore } from '../../features/licensing/store/quote-store.ts';
import { RateCardStore } from '../../features/licensing/store/rate-card-store.ts';
import { MediaRequestStore } from '../../features/media/store/media-request-store.ts';
import { PlaylistStore } from '../../features/playlists/store/playlist-store.ts';
import { RenditionClaimStore } from '../../features/renditions/store/rendition-claim-store.ts';
import { RenditionStore } from '../../features/renditions/store/rendition-store.ts';
import { StreamStore } from '../../features/renditions/store/stream-store.ts';
import { SavedSearchStore } from '../../features/saved-searches/store/saved-search-store.ts';
import { SoundJobStore } from '../../features/sound/store/sound-job-store.ts';
import { SoundStore } from '../../features/sound/store/sound-store.ts';
import { ReferenceStore } from '../../features/takedown/store/reference-store.ts';
import { TrackFinder } from '../../features/takedown/store/track-finder.ts';
import { CueSheetStore } from '../../features/usage/store/cue-sheet-store.ts';
import { UsageRecordStore } from '../../features/usage/store/usage-record-store.ts';
import { UsageStore } from '../../features/usage/store/usage-store.ts';
import { DeliveryStore } from '../../features/webhooks/store/delivery-store.ts';
import { FanOutStore } from '../../features/webhooks/store/fan-out-store.ts';
import { SenderStore } from '../../features/webhooks/store/sender-store.ts';
import { followTerms } from '../../features/webhooks/store/webhook-chains.ts';
import { discardStray, endpointsOf } from '../../features/webhooks/store/webhook-discards.ts';
import { WebhookStore } from '../../features/webhooks/store/webhook-store.ts';

/** What the stores of both databases need to be opened. */
export interface OpenOptions {
  clock: Clock;
  log: Log;
  /** Default: work does not wait for the database. */
  waitPolicy?: WaitPolicy | undefined;
  /** Whether to open the target of an unfinished move. Default: refuse it. */
  midMigration?: boolean;
  /** Whether long reads may block the process, because it has nothing else to do. A thread for them would start first. */
  mayBlock?: boolean;
  /** Opens the session of a large import. Default: as any other. */
  openLargeDelivery?: OpenDelivery | undefined;
}

/** The stores that both databases share. */
export function sqlStoresOn(database: SqlDatabase, clock: Clock) {
  const settings = new SettingStore(database, clock);
  return {
    audioProperties: new AudioPropertyStore(database, clock),
    availability: new AvailabilityStore(database, clock),
    batches: new BatchStore(database, clock),
    calls: new CallStore(database, clock),
    clientRequests: new ClientRequestStore(database, clock),
    clients: new ClientStore(database, clock, clientFollowers(database, clock)),
    clientSessions: new ClientSessionStore(database, clock),
    collections: new CollectionStore(database, clock),
    collectionTracks: new CollectionTrackStore(database, clock),
    cueSheets: new CueSheetStore(database, clock),
    guests: new GuestStore(database, clock),
    idempotency: new IdempotencyStore(database, clock),
    issuedLicenses: new IssuedLicenseStore(database, clock),
    keys: new KeyStore(database, clock),
    languages: new LanguageStore(database, clock),
    leases: new LeaseStore(database, clock),
    licenseDownloads: new LicenseDownloadStore(database, clock),
    licenseKeys: new LicenseKeyStore(database, clock),
    licenses: new LicenseStore(database, clock),
    links: new LinkStore(database, clock),
    mediaRequests: new MediaRequestStore(database, clock),
    nodes: new NodeStore(database, clock),
    operators: new OperatorStore(database, clock),
    playlists: new PlaylistStore(database, clock),
    quotes: new QuoteStore(database, clock),
    rateCards: new RateCardStore(database, clock),
    references: new ReferenceStore(database, clock),
    renditionClaims: new RenditionClaimStore(database, clock),
    renditions: new RenditionStore(database, clock),
    savedSearches: new SavedSearchStore(database, clock),
    seats: new SeatStore(database, clock),
    settings,
    soundClaims: new RenditionClaimStore(database, clock, 'soundJobs'),
    soundJobs: new SoundJobStore(database, clock),
    sounds: new SoundStore(database, clock),
    streamClaims: new RenditionClaimStore(database, clock, 'streams'),
    streams: new StreamStore(database, clock),
    sourceProvenance: new SourceProvenanceStore(database, clock),
    synonyms: new SynonymStore(database, clock),
    trackEdits: new TrackEditStore(database, clock),
    trackFinder: new TrackFinder(database, clock),
    trackMessages: new TrackMessageStore(database, clock),
    unchangedSince: (seq: number) => {
      const guarded = unchangedSince(database, seq);
      return {
        clients: new ClientStore(guarded, clock, clientFollowers(guarded, clock)),
        operators: new OperatorStore(guarded, clock),
        playlists: new PlaylistStore(guarded, clock),
        rateCards: new RateCardStore(guarded, clock),
        seats: new SeatStore(guarded, clock),
        trackEdits: new TrackEditStore(guarded, clock),
        trackFinder: new TrackFinder(guarded, clock),
        webhooks: new WebhookStore(guarded, clock),
      };
    },
    usage: new UsageStore(database, settings, clock),
    usageRecords: new UsageRecordStore(database, clock),
    webhookDeliveries: new DeliveryStore(database, clock),
    webhookFanOut: new FanOutStore(database, clock),
    webhookSending: new SenderStore(database, clock),
    webhooks: new WebhookStore(database, clock),
  };
}

function clientFollowers(database: SqlDatabase, clock: Clock): ClientFollowers {
  return {
    // Pending messages of a feature that is off must not be sent when it is on again.
    async settle(clientRowId) {
      const only = await endpointsOf(database.queries, clientRowId);
      await discardStray(database, clock, { only });
    },
    async changed(transaction, { by, ...terms }) {
      const now = clock.now();
      await followTerms(transaction.queries, database.dialect, { ...terms, now });
      const { clientRowId, before, after } = terms;
      if (before.enabled && !after.enabled) {
        await endLinks(transaction, { clientRowId }, { now, cause: { by, batchId: null } });
      }
    },
    async deleting(transaction, id, by) {
      const { queries, log } = transaction;
      // Collections and their links are deleted with their owner (ON DELETE CASCADE).
      const collections = await ownCollections(queries, id);
      const cause = { by, batchId: null };
      for (const { rowId } of collections) {
        await endLinks(transaction, { collectionRowId: rowId }, { now: clock.now(), cause });
      }
      return async () => {
        for (const { id: collectionId, mode, readers } of collections) {
          const change = ['deleted', collectionId, readers] as const;
          await log('collection', [change], { ...cause, clientId: id, mode });
        }
      };
    },
  };
}

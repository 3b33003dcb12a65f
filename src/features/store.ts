import type { ChangeLog } from '../engines/change-log/change-log.ts';
import type { IdempotencyStore } from '../engines/idempotency/idempotency-store.ts';
import type { TableStore } from '../engines/sql/copied-tables.ts';
import type { SettingStore } from '../engines/sql/setting-store.ts';
import type { LeaseStore } from '../engines/tasks/lease.ts';
import type { NodeStore } from '../engines/tasks/nodes.ts';
import type { CallStore } from './access/store/call-store.ts';
import type { ClientRequestStore } from './access/store/client-request-store.ts';
import type { ClientSessionStore } from './access/store/client-session-store.ts';
import type { ClientStore } from './access/store/client-store.ts';
import type { KeyStore } from './access/store/key-store.ts';
import type { OperatorStore } from './access/store/operator-store.ts';
import type { SeatStore } from './access/store/seat-store.ts';
import type { AvailabilityStore } from './availability/store/availability-store.ts';
import type { SynonymStore } from './briefs/store/synonym-store.ts';
import type { AudioPropertyStore } from './catalog/store/audio-property-store.ts';
import type { BatchStore } from './catalog/store/batch-store.ts';
import type { CatalogStore } from './catalog/store/catalog-store.ts';
import type { SourceProvenanceStore } from './catalog/store/source-provenance-store.ts';
import type { TrackEditStore } from './catalog/store/track-edit-store.ts';
import type { TrackMessageStore } from './catalog/store/track-message-store.ts';
import type { CollectionStore } from './collections/store/collection-store.ts';
import type { CollectionTrackStore } from './collections/store/collection-track-store.ts';
import type { GuestStore } from './collections/store/guest-store.ts';
import type { LinkStore } from './collections/store/link-store.ts';
import type { LanguageStore } from './languages/store/language-store.ts';
import type { IssuedLicenseStore } from './licensing/store/issued-license-store.ts';
import type { LicenseDownloadStore } from './licensing/store/license-download-store.ts';
import type { LicenseKeyStore } from './licensing/store/license-key-store.ts';
import type { LicenseStore } from './licensing/store/license-store.ts';
import type { QuoteStore } from './licensing/store/quote-store.ts';
import type { RateCardStore } from './licensing/store/rate-card-store.ts';
import type { MediaRequestStore } from './media/store/media-request-store.ts';
import type { PlaylistStore } from './playlists/store/playlist-store.ts';
import type { RenditionClaimStore } from './renditions/store/rendition-claim-store.ts';
import type { RenditionStore } from './renditions/store/rendition-store.ts';
import type { StreamStore } from './renditions/store/stream-store.ts';
import type { SavedSearchStore } from './saved-searches/store/saved-search-store.ts';
import type { SoundJobStore } from './sound/store/sound-job-store.ts';
import type { SoundStore } from './sound/store/sound-store.ts';
import type { ReferenceStore } from './takedown/store/reference-store.ts';
import type { TrackFinder } from './takedown/store/track-finder.ts';
import type { CueSheetStore } from './usage/store/cue-sheet-store.ts';
import type { UsageRecordStore } from './usage/store/usage-record-store.ts';
import type { UsageStore } from './usage/store/usage-store.ts';
import type { DeliveryStore } from './webhooks/store/delivery-store.ts';
import type { FanOutStore } from './webhooks/store/fan-out-store.ts';
import type { SenderStore } from './webhooks/store/sender-store.ts';
import type { WebhookStore } from './webhooks/store/webhook-store.ts';

/** The whole system of record, as each adapter opens it. */
export interface Store {
  catalog: CatalogStore;
  /** The tracks that switch with time. */
  availability: AvailabilityStore;
  /** What is known of the audio of tracks. */
  audioProperties: AudioPropertyStore;
  /** What counts for tracks of which their supplier says nothing. */
  sourceProvenance: SourceProvenanceStore;
  /** The imports that can be undone. */
  batches: BatchStore;
  /** What the operator has edited of tracks. */
  trackEdits: TrackEditStore;
  /** The messages of suppliers that decided about tracks. */
  trackMessages: TrackMessageStore;
  playlists: PlaylistStore;
  /** What words of briefs mean. */
  synonyms: SynonymStore;
  /** The texts of tracks, filters and playlists in other languages. */
  languages: LanguageStore;
  /** The lists of tracks that clients keep. */
  collections: CollectionStore;
  collectionTracks: CollectionTrackStore;
  /** The links to collections, and what their guests say. */
  links: LinkStore;
  guests: GuestStore;
  /** The searches that clients keep. */
  savedSearches: SavedSearchStore;
  clients: ClientStore;
  /** The people of clients, and their sign-in links. */
  seats: SeatStore;
  /** The browsers that are signed in. */
  clientSessions: ClientSessionStore;
  /** How much clients use the service. */
  clientRequests: ClientRequestStore;
  /** How the requests of clients ended, and from where secrets were used. */
  calls: CallStore;
  /** What was sent of which track to whom. */
  mediaRequests: MediaRequestStore;
  keys: KeyStore;
  /** The people who use the console. */
  operators: OperatorStore;
  /** The keys that sign certificates of licenses. */
  licenseKeys: LicenseKeyStore;
  /** The keys of repeated requests, with the responses to them. */
  idempotency: IdempotencyStore;
  /** The licenses that count for popularity. */
  licenses: LicenseStore;
  /** What licenses cost. */
  rateCards: RateCardStore;
  quotes: QuoteStore;
  /** The licenses that were sold through the API. */
  issuedLicenses: IssuedLicenseStore;
  /** What was downloaded under licenses. */
  licenseDownloads: LicenseDownloadStore;
  /** The reported use of tracks. */
  usage: UsageStore;
  /** The reported use of all clients, for the operator. */
  usageRecords: UsageRecordStore;
  /** What cue sheets are made of. */
  cueSheets: CueSheetStore;
  /** The endpoints of clients that get messages about changes, and these messages. */
  webhooks: WebhookStore;
  webhookDeliveries: DeliveryStore;
  /** What turns changes into messages of webhooks. */
  webhookFanOut: FanOutStore;
  /** What sends messages of webhooks. */
  webhookSending: SenderStore;
  /** The waveforms and preview clips made of audio. */
  renditions: RenditionStore;
  /** What the nodes that make renditions need. */
  renditionClaims: RenditionClaimStore;
  /** The MP3 files that are made of audio for streaming. */
  streams: StreamStore;
  streamClaims: RenditionClaimStore;
  /** What the analysis of audio found. */
  sounds: SoundStore;
  soundJobs: SoundJobStore;
  soundClaims: RenditionClaimStore;
  /** What the operator finds and changes. */
  trackFinder: TrackFinder;
  /** What refers to tracks. */
  references: ReferenceStore;
  changes: ChangeLog;
  /**
   * Returns stores that write only if no other change of the same entity was logged after this `seq`; this is checked in
   * the transaction of the write. Otherwise they throw StaleVersion. For a write that changes the state of a
   * track, only takedowns and withdrawals count; a rate card is one entity with all its versions.
   */
  unchangedSince(
    seq: number,
  ): Pick<
    Store,
    'clients' | 'operators' | 'playlists' | 'rateCards' | 'trackEdits' | 'trackFinder' | 'webhooks'
  >;
  /** Small facts about the installation itself, such as the state of the demo catalog. */
  settings: SettingStore;
  /** The leases of tasks that only one node may do. */
  leases: LeaseStore;
  nodes: NodeStore;
  /** All tables, for moving the store. */
  tables: TableStore;
  /**
   * Calls the function `run` of a module in a thread that has a connection of its own: see `SecondConnection.run`. Absent
   * if statements do not block the thread that executes them.
   */
  runApart?(module: URL, ...args: unknown[]): Promise<unknown>;
  /**
   * Whether the store answered the last call. While it does not, every call is rejected at once with
   * `unavailable`. It recovers by itself.
   */
  isReachable(): boolean;
  /**
   * Prepares the tables of reported use for this month and the next one. Returns the months that it has prepared now,
   * as numbers such as 202611. Absent if the store needs none of this.
   */
  prepareUsageMonths?(): Promise<number[]>;
  /** Gives space that is no longer needed back to the disk, in short steps. Absent if the store is a server. */
  giveBackSpace?(signal: AbortSignal): Promise<void>;
  /** As `Database.compact`. Absent if the store is a server. */
  compact?(): Promise<void>;
  /**
   * The numbers of open connections and of waiting calls, for the metrics; absent without a connection pool.
   */
  poolUsage?(): { open: number; waiting: number };
  /** Whether what is read and written crosses a network without encryption; absent if there is no network. */
  isPlainToOthers?(): boolean;
  /**
   * Writes a consistent copy of the database to a new file; reads and writes continue meanwhile. The file
   * appears complete or not at all. Refuses to overwrite a file. Absent if the store is a server, whose tables are
   * copied instead.
   */
  backup?(path: string): Promise<void>;
  /**
   * Throws if the store does not answer; with `deep`, also if it is damaged. With `deep`, it reads the whole
   * store and blocks meanwhile (about a second per gigabyte), so only `doctor` uses that.
   */
  check(deep: boolean): Promise<void>;
  /**
   * Throws OperatorError if the store cannot be written to, because the database is read-only or the user
   * lacks rights. Changes nothing. Absent if the rights of files decide this.
   */
  checkRights?(): Promise<void>;
  close(): Promise<void>;
}

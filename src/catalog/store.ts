import type { Actor } from '../kernel/actor.ts';
import type { IndexEntry } from './catalog-index.ts';
import type { Filter } from './filter.ts';
import type { Playlist, PlaylistSummary, PlaylistWithTracks } from './playlist.ts';
import type { DeliveryOutcome, Track, TrackDelivery, TrackDocument, TrackState } from './track.ts';

/** What a media request needs to know of a track. */
export interface TrackAudio {
  state: TrackState;
  /** Key in the media store; null where the track has no audio. */
  audioKey: string | null;
}

/** A track as the operator sees it. */
export interface TrackRecord {
  track: Track;
  state: TrackState;
  source: string;
  externalId: string | null;
  audioKey: string | null;
  artworkKey: string | null;
  /** Milliseconds since the epoch. */
  createdAt: number;
  updatedAt: number;
}

/**
 * One import's way into the catalog. Open one an import; it remembers which ids the import has
 * delivered, on disk, so that its memory stays flat. Always close it.
 */
export interface DeliverySession {
  /**
   * Writes deliveries in order, in as many transactions as keep the write lock under 100 ms each,
   * with a change-log row for each track created or updated. Outcomes are in the order given, and
   * final once the promise resolves. A taken-down track takes the new values and stays down.
   * Batches of about 1,000 cost least: each call ends with a commit, which waits for the disk.
   */
  deliver(batch: readonly TrackDelivery[]): Promise<DeliveryOutcome[]>;
  /** As deliver, but writes nothing; for --dry-run. Deliveries of one session see each other. */
  preview(batch: readonly TrackDelivery[]): Promise<DeliveryOutcome[]>;
  /** How many live tracks of the source this session has not seen. */
  countAbsent(source: string): Promise<number>;
  /** Takes those down; returns how many. For --prune, after everything was delivered. */
  takeDownAbsent(source: string): Promise<number>;
  close(): Promise<void>;
}

/** The catalog in the system of record. Every write appends to the change log in its transaction. */
export interface CatalogStore {
  openDelivery(by: Actor, batchId: string): Promise<DeliverySession>;
  /** Live tracks' documents by number, in the order asked; undefined for what is not live. */
  documents(numbers: readonly number[]): Promise<(TrackDocument | undefined)[]>;
  /** The document of one live track, by its slug or its id (in either case). */
  document(slugOrId: string): Promise<TrackDocument | undefined>;
  /** What the index must know of the given tracks; those that are not live are left out. */
  indexEntries(ids: readonly string[]): Promise<IndexEntry[]>;
  /**
   * All live tracks, in slices of a few thousand, with a turn of the event loop after each. No
   * snapshot: what changes meanwhile may be in it or not, so take the log's head first and follow
   * the log from there.
   */
  allIndexEntries(): AsyncIterable<IndexEntry[]>;
  /** Every filter, ordered by type and name. */
  filters(): Promise<Filter[]>;
  /** The id behind a slug or an id (in either case), whatever the track's state. */
  resolveTrack(slugOrId: string): Promise<string | undefined>;
  trackRecord(id: string): Promise<TrackRecord | undefined>;
  trackAudio(id: string): Promise<TrackAudio | undefined>;
  /** Whether anything was ever imported, taken down or removed. */
  isUntouched(): Promise<boolean>;
  counts(): Promise<{ live: number; takenDown: number; filters: number; playlists: number }>;
  /** Takes a track down or restores it; false when it already is so. */
  setState(id: string, state: TrackState, by: Actor): Promise<boolean>;
  /**
   * Deletes all that came from a source and that nothing else uses: tracks, their places in
   * playlists, licences, then artists and filters left without a track. Log: `track.removed`,
   * `licence.removed`, `playlist.updated`. In short transactions: killed half-way, it is repeated.
   */
  removeSource(source: string, by: Actor): Promise<number>;
  /** Every key in the media store that a track refers to, in slices. */
  mediaKeys(): AsyncIterable<string[]>;
}

/** Playlists and their grants in the system of record; every change that is one is logged. */
export interface PlaylistStore {
  /** Gives it a slug; tracks as setTracks takes them. */
  create(
    playlist: Omit<Playlist, 'slug'>,
    trackIds: readonly string[],
    by: Actor,
  ): Promise<Playlist>;
  /** Changes what is given; throws not_found. The slug is kept. */
  update(id: string, change: { name?: string; description?: string }, by: Actor): Promise<Playlist>;
  /** Throws not_found. */
  delete(id: string, by: Actor): Promise<void>;
  /**
   * Replaces the list of tracks whole; unknown ones are refused with `not_found`, duplicates with
   * `conflict`, and then nothing changes. The same list again changes and logs nothing. Where
   * `expected` is given and the list is another by now, changes nothing and returns false; checked
   * under the lock.
   */
  setTracks(
    id: string,
    trackIds: readonly string[],
    by: Actor,
    expected?: readonly string[],
  ): Promise<boolean>;
  /** False when the client had it already; unknown playlists and clients throw not_found. */
  grant(id: string, clientId: string, by: Actor): Promise<boolean>;
  /** False when the client did not have it; unknown playlists and clients throw not_found. */
  revoke(id: string, clientId: string, by: Actor): Promise<boolean>;
  /**
   * By slug or id. Where `among` is given, one whose id is not in it is as if it did not exist, in
   * the work done too, so that a caller cannot tell the two apart by time.
   */
  find(slugOrId: string, among?: ReadonlySet<string>): Promise<PlaylistWithTracks | undefined>;
  /** Ordered by name, then id; all of them, or those granted to a client. */
  list(filter: { clientId?: string }): Promise<PlaylistSummary[]>;
  grantsOf(id: string): Promise<string[]>;
}

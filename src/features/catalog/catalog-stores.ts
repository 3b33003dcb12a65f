import type { Actor } from '../../common/caller.ts';
import type { ChangeReason } from '../../engines/change-log/change-log.ts';
import type { IndexEntry, RowIdRange } from '../../engines/search/catalog-index.ts';
import type { AvailabilityEntry, ChosenState, TrackState } from '../availability/availability.ts';
import type { DocumentParts, FilterText } from './document-copy.ts';
import type { DeliveryOutcome, Filter, Track, TrackDelivery } from './track.ts';
import type { TextDocument } from './track-document.ts';
import type { PartsByList } from './track-parts.ts';

/** What a media request needs of a track. */
export interface TrackAudio {
  state: TrackState;
  /** The media key; null if the track has no audio. */
  audioKey: string | null;
  /** The second at which the preview clip begins; null if the service chooses it. */
  previewStart: number | null;
  /** The media keys of an imported preview clip and waveform; null if the service makes them. */
  previewKey: string | null;
  waveformKey: string | null;
}

/** A track as it is shown to the operator. */
export interface TrackRecord {
  track: Track;
  state: TrackState;
  source: string;
  externalId: string | null;
  audioKey: string | null;
  artworkKey: string | null;
  /** The second at which the preview clip begins; null for the loudest passage. */
  previewStart: number | null;
  /** The media keys of an imported preview clip and waveform; null for those that Stave makes. */
  previewKey: string | null;
  waveformKey: string | null;
  /** Empty if the track is always available everywhere. */
  availability: readonly AvailabilityEntry[];
  /** Milliseconds since the epoch. */
  createdAt: number;
  updatedAt: number;
}

/** A track with its parts. */
export interface TrackWithParts {
  id: string;
  slug: string;
  state: TrackState;
  parts: PartsByList;
}

/** What a media request needs of a part. */
export interface PartAudio {
  trackId: string;
  /** The state of the track. */
  state: TrackState;
  audioKey: string;
}

/** The numbers of tracks, playlists and others. Each track counts in one of its states. */
export interface CatalogCounts {
  live: number;
  takenDown: number;
  withdrawn: number;
  unavailable: number;
  filters: number;
  playlists: number;
}

/**
 * Writes the deliveries of one import. Open one for each import, and always close it. It stores the ids that
 * the import has delivered on disk, so that its memory does not grow.
 */
export interface DeliverySession {
  /**
   * Writes deliveries in order, with a change for each track that is created or updated, in transactions that
   * each hold the write lock for less than 100 ms. The outcomes are in the order of the deliveries, and final
   * when the promise resolves. A track that was taken down gets the new values and stays down. A withdrawn
   * track becomes live again, which counts as updated, and belongs to the source that delivered it. Batches
   * of about 1,500 cost least, because each call ends with a commit that waits for the disk.
   */
  deliver(batch: readonly TrackDelivery[]): Promise<DeliveryOutcome[]>;
  /** The same as deliver, but writes nothing, for --dry-run. The deliveries of one session affect each other. */
  preview(batch: readonly TrackDelivery[]): Promise<DeliveryOutcome[]>;
  /** Marks the tracks of these ids as seen although their records were rejected. Unknown ids are allowed. */
  list(ids: readonly string[]): Promise<void>;
  /**
   * Withdraws those of these tracks that are live and belong to the source, and returns their number. Unknown ids are
   * allowed. A later delivery makes them live again, also in this session.
   */
  withdraw(source: string, ids: readonly string[]): Promise<number>;
  /** How many tracks `withdraw` would withdraw. */
  countWithdrawable(source: string, ids: readonly string[]): Promise<number>;
  /** The tracks that this session has delivered and that stay down: their number, and up to `limit` slugs. */
  takenDown(limit: number): Promise<{ count: number; slugs: string[] }>;
  /** The number of live tracks of the source that this session has not seen. */
  countAbsent(source: string): Promise<number>;
  /** Withdraws these tracks and returns their number, for --prune, after everything was delivered. */
  withdrawAbsent(source: string): Promise<number>;
  close(): Promise<void>;
}

/** The range of all row ids. */
export const ALL_ROWS: RowIdRange = { after: 0, upTo: 2 ** 32 - 1 };

/** The document of a live track, and its place in a walk over all of them. */
export interface LiveDocument {
  rowId: number;
  document: TextDocument;
}

/** The catalog in the system of record. Each write appends to the change log in its transaction. */
export interface CatalogStore {
  /** Opens a session. `label` describes for the operator what is imported. */
  openDelivery(by: Actor, batchId: string, label?: string): Promise<DeliverySession>;
  /** The documents of live tracks by row id, in the given order; undefined for tracks that are not live. */
  documents(rowIds: readonly number[]): Promise<(TextDocument | undefined)[]>;
  /** The document of one live track, by its slug or its id (in either case). */
  document(slugOrId: string): Promise<TextDocument | undefined>;
  /** The index entries of the given tracks, without those that are not live. */
  indexEntries(ids: readonly string[]): Promise<IndexEntry[]>;
  /**
   * The index entries of all live tracks, in slices of a few thousand with a pause for the event loop after
   * each. It is not a snapshot: a change that is made meanwhile may be included or not. Therefore read the
   * head of the log first, and follow the log from there.
   * @param rows the rows to read; by default all
   */
  allIndexEntries(rows?: RowIdRange): AsyncIterable<IndexEntry[]>;
  /** The greatest row id of a track; 0 if there is none. */
  lastRowId(): Promise<number>;
  /** The documents of all live tracks in the order of row ids, in slices like `allIndexEntries`. */
  allDocuments(): AsyncIterable<DocumentParts[]>;
  /**
   * The documents of live tracks after a row id, in their order, for one slow reader: in slices of some
   * milliseconds, each of which is read when it is asked for and shows what is committed then. They come from
   * the primary database, never from a replica.
   */
  liveDocuments(after: number): AsyncIterable<LiveDocument[]>;
  /** All filters as they appear in documents, in any order. */
  filterTexts(): Promise<FilterText[]>;
  /** All filters, ordered by type and name. */
  filters(): Promise<Filter[]>;
  /** The id of the track with a slug or an id (in upper or lower case), whatever its state. */
  resolveTrack(slugOrId: string): Promise<string | undefined>;
  /** The same for several slugs and ids, in their order, with one query. */
  resolveTracks(slugsAndIds: readonly string[]): Promise<(string | undefined)[]>;
  trackRecord(id: string): Promise<TrackRecord | undefined>;
  trackAudio(id: string): Promise<TrackAudio | undefined>;
  /** The parts of the track with a slug or an id (in upper or lower case), whatever its state. */
  trackParts(slugOrId: string): Promise<TrackWithParts | undefined>;
  /** What a media request needs of the part with this id, in lower case. */
  partAudio(id: string): Promise<PartAudio | undefined>;
  /** Whether nothing was ever imported, taken down or removed. */
  isUntouched(): Promise<boolean>;
  counts(): Promise<CatalogCounts>;
  /** The number of live tracks of the source. It is counted: about a second for a million tracks. */
  countLive(source: string): Promise<number>;
  /** Takes a track down or restores it, from any state. Returns false if it has that state already. */
  setState(id: string, state: ChosenState, by: Actor): Promise<boolean>;
  /**
   * Deletes everything that only a source uses: its tracks, their positions in playlists and their licenses,
   * then artists and filters without a track. Logs `track.removed`, `license.removed` and `playlist.updated`.
   * Works in short transactions; if it is killed, it can be repeated.
   */
  removeSource(source: string, by: Actor): Promise<number>;
  /** All media keys that tracks and their parts refer to, and those of the renditions of their audio, in slices. */
  mediaKeys(): AsyncIterable<string[]>;
}

/** A change of the state of tracks. */
export interface StateChange extends ChangeReason {
  state: ChosenState;
}

/** A track whose state has changed. */
export interface ChangedState {
  rowId: number;
  state: TrackState;
}

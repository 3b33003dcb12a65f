import type { Actor } from '../../common/caller.ts';
import type { ChangeReason } from '../../engines/change-log/change-log.ts';
import type { RowIdRange } from '../../engines/search/catalog-index.ts';
import type { AvailabilityEntry, ChosenState, TrackState } from '../availability/availability.ts';
import type { CoverColumns, StreamedColumns } from './streamed-audio.ts';
import type { DeliveryOutcome, Track, TrackDelivery } from './track.ts';
import type { Seal, TextDocument } from './track-document.ts';
import type { HiddenChange } from './track-edits.ts';
import type { PartsByList } from './track-parts.ts';

/** What a response with a file of a track says of the track. */
export interface ServedTrack {
  name: string;
  slug: string;
  /** The name of the primary artist, or else of the first one; null without artists. */
  artist: string | null;
  /** Those who perform, the primary one first; of all artists if nobody does. */
  performers: readonly string[];
  /** Whether its supplier forbids that machines learn from it. */
  forbidsTraining: boolean;
}

/** What a media request needs of a track. */
export interface TrackAudio extends ServedTrack, StreamedColumns, CoverColumns {
  isrc: string;
  state: TrackState;
  /** The second at which the preview clip begins; null if the service chooses it. */
  previewStart: number | null;
  /** The media keys of an imported preview clip and waveform; null if the service makes them. */
  previewKey: string | null;
  waveformKey: string | null;
}

/** A track as the operator sees it. */
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

export interface TrackWithParts extends ServedTrack {
  id: string;
  state: TrackState;
  parts: PartsByList;
}

/** What a media request needs of a part. */
export interface PartAudio extends ServedTrack {
  trackId: string;
  /** The name of the part, or else its kind. */
  part: string;
  state: TrackState;
  audioKey: string;
}

/** The numbers of tracks by state, of filters and of playlists. */
export interface CatalogCounts {
  live: number;
  takenDown: number;
  withdrawn: number;
  unavailable: number;
  filters: number;
  playlists: number;
}

/** A live track that a delivery has created, with what the store has chosen of its document. */
export interface CreatedTrack {
  delivery: TrackDelivery;
  rowId: number;
  slug: string;
  releasedAt: number;
  /** The row ids of the filters, in order, as a JSON array. */
  filters: string;
}

/** Receives live tracks that a delivery has created, after their commit, in the order of row ids. */
export type TakeCreated = (created: readonly CreatedTrack[]) => Promise<void>;

/** Why a session writes, and what it tells. */
export interface DeliveryCause {
  by: Actor;
  batchId: string;
  /** Describes for the operator what is imported. */
  label: string;
  onCreated?: TakeCreated | undefined;
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
   *
   * @param seals of the deliveries, if the caller has them already
   */
  deliver(batch: readonly TrackDelivery[], seals?: readonly Seal[]): Promise<DeliveryOutcome[]>;
  /** Returns the outcomes that `deliver` would have, for --dry-run. The deliveries of one session affect each other. */
  preview(batch: readonly TrackDelivery[], seals?: readonly Seal[]): Promise<DeliveryOutcome[]>;
  /**
   * Returns the delivered values that `deliver` has changed beneath edits, or that `preview` would change, since the last
   * call.
   */
  takeHidden(): HiddenChange[];
  /** Marks the tracks of these ids as seen although their records were rejected. Unknown ids are allowed. */
  list(ids: readonly string[]): Promise<void>;
  /**
   * Withdraws the tracks with these ids that are live and belong to the source, and returns their number. Unknown ids are
   * allowed. A later delivery makes them live again, also in this session.
   */
  withdraw(source: string, ids: readonly string[]): Promise<number>;
  /** Returns the number of tracks that `withdraw` would withdraw. */
  countWithdrawable(source: string, ids: readonly string[]): Promise<number>;
  /** Returns the number of the tracks that this session has delivered and that stay down, and up to `limit` slugs. */
  takenDown(limit: number): Promise<{ count: number; slugs: string[] }>;
  /** The number of live tracks of the source that this session has not seen. */
  countAbsent(source: string): Promise<number>;
  /** Withdraws the tracks that `countAbsent` counts, for --prune after all deliveries. Returns their number. */
  withdrawAbsent(source: string): Promise<number>;
  close(): Promise<void>;
}

export const ALL_ROWS: RowIdRange = { after: 0, upTo: 2 ** 32 - 1 };

/** The document of a live track, and its place in a walk over all of them. */
export interface LiveDocument {
  rowId: number;
  document: TextDocument;
}

export interface StateChange extends ChangeReason {
  state: ChosenState;
}

export interface ChangedState {
  rowId: number;
  state: TrackState;
}

import type { Actor } from '../../common/caller.ts';
import type { TrackState } from '../availability/track-state.ts';
import type { ChangedState, StateChange } from '../catalog/catalog-stores.ts';

/** A track of any state, as the operator finds it. */
export interface FoundTrack {
  rowId: number;
  id: string;
  slug: string;
  name: string;
  /** Without repetitions, in the order of the credits. */
  artists: string[];
  state: TrackState;
  source: string;
  externalId: string | null;
  /** '' if it is unknown. */
  isrc: string;
}

/** Which tracks to find. Each member that is given restricts them. */
export interface TrackQuery {
  /** Each begins a word of the name, an artist, the slug, the id, the external id or the ISRC (`wordsOf`). */
  words: readonly string[];
  source?: string | undefined;
  state?: TrackState | undefined;
}

/**
 * Finds and changes tracks of any state for the operator. Tracks are known by row id, because a source may have a
 * million of them.
 */
export interface TrackFinder {
  /**
   * Yields the tracks that match, in the order of row ids, in slices. Reads all tracks, or all of the source: some
   * seconds for a million of them. It is not a snapshot.
   */
  matching(query: TrackQuery): AsyncIterable<readonly FoundTrack[]>;
  /** The row ids of the tracks with each slug, id or ISRC (ids and ISRCs in either case, ISRCs also with hyphens). */
  named(names: readonly string[]): Promise<number[][]>;
  /** The same for ISRCs only. */
  withIsrcs(isrcs: readonly string[]): Promise<number[][]>;
  /** Yields the row ids of all tracks of a source, in slices. */
  ofSource(source: string): AsyncIterable<readonly number[]>;
  /**
   * Yields the row ids of the tracks that an import created, updated or made live again, in slices. Throws `not_found`
   * for an unknown import.
   */
  ofBatch(batchId: string): AsyncIterable<readonly number[]>;
  /** Tracks in the order of row ids, without those that were removed. At most a thousand at once. */
  withRowIds(rowIds: readonly number[]): Promise<FoundTrack[]>;
  /** All sources of tracks, in order. */
  sources(): Promise<string[]>;
  /** Slugs that precede and follow this text in their order. */
  slugsNear(text: string): Promise<string[]>;
  /**
   * Takes tracks down or restores them, from any state, in one transaction, with a change in the log for each one that
   * gets another state. Returns these. Outside of its periods of availability, a restored track is unavailable. At most
   * STATE_SLICE at once.
   */
  setStates(rowIds: readonly number[], change: StateChange, by: Actor): Promise<ChangedState[]>;
}

/** The most tracks whose state changes in one transaction: some 10 ms under the write lock. */
export const STATE_SLICE = 250;

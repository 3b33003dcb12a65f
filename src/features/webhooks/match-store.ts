import type { Mode } from '../../common/caller/scopes.ts';
import type { ChainStep } from './fan-out-store.ts';

/** A saved search whose client wants to be told of new tracks, and has an endpoint for that. */
export interface NotifyingSearch {
  id: string;
  clientId: string;
  mode: Mode;
  name: string;
  /** JSON, as the client sent it. */
  query: string;
  version: number;
  /** The position of the log when it was created; null if that is not known. */
  createdSeq: number | null;
  /** Tracks with a greater row id are in no message yet. */
  notifiedRowId: number;
  /** The time of the last message, in milliseconds since the epoch; null if there was none. */
  notifiedAt: number | null;
}

/** The tracks that existed at a moment. */
export interface PresentTracks {
  /** The greatest row id. */
  rowId: number;
  /** The last change of a track in the log. */
  seq: number;
}

/** The change that created a track. */
export interface Creation {
  seq: number;
  /** In milliseconds since the epoch. */
  at: number;
}

/** What continues the chains of a saved search. */
export interface SearchMatches {
  search: NotifyingSearch;
  /** The new value of `notifiedRowId`. */
  notifiedRowId: number;
  steps: readonly ChainStep[];
}

/** What messages about saved searches need of the store. One node at a time uses it. */
export interface MatchStore {
  notifying(): Promise<NotifyingSearch[]>;
  presentTracks(): Promise<PresentTracks>;
  /** The ids of those of these tracks that exist, by row id. */
  trackIds(rowIds: readonly number[]): Promise<Map<number, string>>;
  /** What created these tracks, by row id, if the log still has it. Reads some hundred changes for each of them. */
  creations(rowIds: readonly number[]): Promise<Map<number, Creation>>;
  /**
   * Stores messages, and which tracks they report, all or nothing. Leaves out searches that were changed since they were
   * read, or whose tracks were reported, and steps as `FanOutStore.append`. Does nothing in another history of the log.
   */
  append(epoch: string, matches: readonly SearchMatches[], now: number): Promise<void>;
}

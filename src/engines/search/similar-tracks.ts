import type { TrackType } from './track-type.ts';

/** The ids of the filters that similar tracks are compared by. Other filters do not count. */
export interface ComparedFilters {
  genres: ReadonlySet<string>;
  moods: ReadonlySet<string>;
}

/** A query for the tracks that are most similar to one track, the seed (docs/contract/similar.md). */
export interface SimilarQuery {
  /** The id of the seed, in lower case. */
  id: string;
  limit: number;
  /** The distance in beats per minute from which two tempos have nothing in common. */
  bpmRange: number;
  /** Default: the type of the seed. */
  type?: TrackType;
  hasVocals?: boolean;
  /** A track must have all of these filters; lower-case UUIDs without repetitions. */
  filterIds?: readonly string[];
}

/** A similar track, and what it has in common with the seed. Numbers are 0 to 1, with four decimals. */
export interface SimilarTrack {
  rowId: number;
  id: string;
  score: number;
  /** Null if the seed has no genre. */
  genre: number | null;
  /** Null if the seed has no mood. */
  mood: number | null;
  /** Null if the tempo of the seed is unknown. */
  bpm: number | null;
  /** Whether they have a key in common. */
  key: boolean;
  /** Whether both have vocals, or both have none. */
  hasVocals: boolean;
  /** The genres and moods that they have in common. */
  sharedFilterIds: readonly string[];
}

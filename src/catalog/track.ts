import type { Filter, FilterType } from './filter.ts';

/** What a track can be (specification, Track). */
export const TRACK_TYPES = ['music', 'sfx'] as const;
/** Music or a sound effect. */
export type TrackType = (typeof TRACK_TYPES)[number];

/** An artist's part in a track. `id` is stable for the artist, `name` is the credit as delivered. */
export interface Credit {
  id: string;
  name: string;
  /** One upper-case word, `[A-Z]+(_[A-Z]+)*`. */
  role: string;
  /** At most one of a track's credits is primary. */
  isPrimary: boolean;
}

/**
 * A track as the API shows it (specification, Track; decisions §3), but for the two URLs, which
 * depend on the deployment and the client. Unknown values are `""`, `[]`, `"WORLD"`, 0 or false.
 */
export interface Track {
  id: string;
  name: string;
  slug: string;
  type: TrackType;
  bpm: string;
  songKey: string[];
  timeSignature: string;
  durationSeconds: number;
  region: string;
  /** UTC with milliseconds. */
  releaseDate: string;
  hasVocals: boolean;
  isPRO: boolean;
  tags: string[];
  artists: Credit[];
  filters: Filter[];
  /** Twelve upper-case characters, `""` where unknown. */
  isrc: string;
  hasAudio: boolean;
}

/**
 * A track as the store hands it to the page path: serialised once, when it was written. A text, not
 * bytes: a Buffer for each would cost more than all the rest of reading it.
 */
export interface TrackDocument {
  id: string;
  /** The JSON object of `Track`, without its closing brace, so that the URLs can follow. */
  json: string;
  /** The length of that in UTF-8; where it equals `json.length`, all of it is ASCII. */
  bytes: number;
  /** The artwork's key in the media store; null where it is to be generated. */
  artworkKey: string | null;
}

/** Where an artist in a delivery comes from: its id is already derived (decisions §8, Ids). */
export interface DeliveredCredit extends Credit {
  externalId: string | null;
}

/** A filter in a delivery: named by type and name, not yet given a slug. */
export interface DeliveredFilter {
  type: FilterType;
  name: string;
}

/**
 * A track as an import hands it to the store: validated, every value canonical (decisions §3),
 * every id derived. What is left to the store is what needs its lock: slugs, and the difference
 * from what is there.
 */
export interface TrackDelivery {
  id: string;
  source: string;
  externalId: string | null;
  name: string;
  /** A slug the supplier asks for, already in slug form; null: made from the name. */
  slug: string | null;
  type: TrackType;
  bpm: string;
  songKey: string[];
  timeSignature: string;
  durationSeconds: number;
  region: string;
  /** Milliseconds since the epoch; null where unknown: the first import's time then stays. */
  releasedAt: number | null;
  hasVocals: boolean;
  isPRO: boolean;
  tags: string[];
  isrc: string;
  artists: DeliveredCredit[];
  filters: DeliveredFilter[];
  /** Key in the media store; null: the delivery names none, and what is there stays. */
  audioKey: string | null;
  artworkKey: string | null;
}

/** What became of one delivery. A duplicate is a second, different record of one id in one import. */
export type DeliveryOutcome = 'created' | 'updated' | 'unchanged' | 'duplicate';

/** Whether the API shows it; a taken-down track keeps its id, its slug and its places in playlists. */
export type TrackState = 'live' | 'taken_down';

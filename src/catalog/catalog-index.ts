import type { TrackType } from './track.ts';

/** What the index needs to know of a live track. */
export interface IndexEntry {
  /** The store's number of the track, 1 to 4,294,967,295: its own for ever, never given again. */
  no: number;
  id: string;
  /** As delivered; the index folds it. */
  name: string;
  type: TrackType;
  hasVocals: boolean;
  /** Milliseconds since the epoch; may be negative. */
  releasedAt: number;
  /** 0 where unknown. */
  durationSeconds: number;
  /** Beats a minute, to three decimals; 0 where unknown. */
  bpm: number;
  /** As delivered (`C major`); empty where unknown. */
  songKeys: readonly string[];
  /** Lower-case UUIDs; equal ids should be one and the same string, which keeps memory down. */
  filterIds: readonly string[];
  /** `""` where unknown. */
  isrc: string;
}

/**
 * A question to the index. Absent members restrict nothing; all that are present must hold. Ranges
 * include both ends; a track whose value is unknown lies in none.
 */
export interface IndexQuery {
  /** Free text on the name, as the caller wrote it (decisions §4, Text). */
  text?: string;
  type?: TrackType;
  hasVocals?: boolean;
  /** A track must carry every one of them; lower-case UUIDs, no duplicates. */
  filterIds?: readonly string[];
  isrc?: string;
  /** One of the track's keys, in any case. */
  songKey?: string;
  bpmMin?: number;
  bpmMax?: number;
  /** Seconds. */
  durationMin?: number;
  durationMax?: number;
  /** Milliseconds since the epoch. */
  releasedFrom?: number;
  releasedTo?: number;
}

/**
 * The orders a page can come in. `relevance` is best match first, and without a text the same as
 * `newest`; `name` is A to Z by the folded name, names of which folding leaves nothing last; `bpm`
 * and `duration` ascend, unknown ones last; `popular` is most licensed first. Ties: newest, then id.
 * `oldest` is `newest` from its end.
 */
export const TRACK_SORTS = [
  'relevance',
  'newest',
  'oldest',
  'name',
  'bpm',
  'duration',
  'popular',
] as const;
/** One of the orders. */
export type TrackSort = (typeof TRACK_SORTS)[number];

/** Which part of the answer is wanted, and in which order. */
export interface PageRequest {
  offset: number;
  limit: number;
  /** `relevance` by default. */
  sort?: TrackSort;
  /** Whose popularity `popular` goes by, as given to `setPopularity`; unknown: nobody's. */
  popularity?: string;
  /** Whether to count the facets of the whole result. */
  facets?: boolean;
}

/** How many of the tracks that match have each property; what none of them has is absent. */
export interface IndexFacets {
  filters: ReadonlyMap<string, number>;
  types: ReadonlyMap<TrackType, number>;
  hasVocals: ReadonlyMap<boolean, number>;
}

/** One page of an answer. */
export interface IndexPage {
  /** All matches, exactly. */
  total: number;
  /** The numbers of the tracks at `offset` to `offset + limit - 1` in order; empty past the end. */
  tracks: number[];
  /** Where they were asked for. */
  facets?: IndexFacets;
}

/**
 * The search index over all live tracks. Every order is total, so pages never overlap on an
 * unchanged catalog. Synchronous: it holds everything in memory and does no I/O.
 */
export interface CatalogIndex {
  search(query: IndexQuery, page: PageRequest): IndexPage;
  /** For each of the ids the number of its track; undefined where that is not live or does not match. */
  locate(ids: readonly string[], query: IndexQuery): (number | undefined)[];
  /**
   * Names that complete a text: of the tracks that a search for it finds, but for those that only
   * have it inside a word or with a typo, in the order of that search; names that fold alike count as
   * one, as its first track spells it (for a text without letters: names that are equal). At most
   * `limit`.
   */
  suggest(text: string, limit: number): string[];
  /** How many live tracks carry each filter; filters that none carries may be absent. */
  filterCounts(): ReadonlyMap<string, number>;
  /**
   * Adds or replaces tracks, and forgets others, all at once: visible when the promise resolves, and
   * not before. Yields to the event loop between slices of work; searches go on meanwhile. `seq` is
   * how far in the change log the index then is.
   */
  apply(upserts: readonly IndexEntry[], removedIds: readonly string[], seq: number): Promise<void>;
  /**
   * Sets how often tracks were licensed, by id, in place of what was set under that name before.
   * Tracks left out count 0. Resolves when `popular` goes by it.
   */
  setPopularity(name: string, counts: ReadonlyMap<string, number>): Promise<void>;
  /** How many live tracks it holds. */
  readonly size: number;
}

/** An index, and how far in the change log it is: every change of tracks up to `seq` is in it. */
export interface LoadedIndex {
  index: CatalogIndex;
  seq: number;
}

/** Where indexes over all live tracks come from. */
export interface IndexSource {
  /** For a start: from the last snapshot where there is a good one, else built. */
  open(): Promise<LoadedIndex>;
  /**
   * Built from the store, beside whatever is in use, and at least as far in the change log as
   * `notBefore`; it may be over what was built for another.
   */
  build(notBefore: number): Promise<LoadedIndex>;
}

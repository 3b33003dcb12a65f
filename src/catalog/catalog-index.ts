import type { TrackType } from './track.ts';

/** What the index needs to know of a live track. */
export interface IndexEntry {
  id: string;
  /** As delivered; the index folds it. */
  name: string;
  type: TrackType;
  hasVocals: boolean;
  /** Milliseconds since the epoch; may be negative. */
  releasedAt: number;
  /** Lower-case UUIDs; equal ids should be one and the same string, which keeps memory down. */
  filterIds: readonly string[];
  /** `""` where unknown. */
  isrc: string;
}

/** A question to the index. Absent members restrict nothing; all that are present must hold. */
export interface IndexQuery {
  /** Free text on the name, as the caller wrote it (decisions §4, Text). */
  text?: string;
  type?: TrackType;
  hasVocals?: boolean;
  /** A track must carry every one of them; lower-case UUIDs, no duplicates. */
  filterIds?: readonly string[];
  isrc?: string;
}

/** One page of an answer. */
export interface IndexPage {
  /** All matches, exactly. */
  total: number;
  /** The ids at `offset` to `offset + limit - 1` in order; empty past the end. */
  ids: string[];
}

/**
 * The search index over all live tracks. Order: newest release first, then id; with a text, best
 * rank first, then newest, then id (decisions §4). Total, so pages never overlap on an unchanged
 * catalog. Synchronous: it holds everything in memory and does no I/O.
 */
export interface CatalogIndex {
  search(query: IndexQuery, offset: number, limit: number): IndexPage;
  /** Those of the ids that are live and match, in the order given. */
  retain(ids: readonly string[], query: IndexQuery): string[];
  /** How many live tracks carry each filter; filters that none carries may be absent. */
  filterCounts(): ReadonlyMap<string, number>;
  /**
   * Adds or replaces tracks, and forgets others, all at once: visible when the promise resolves, and
   * not before. Yields to the event loop between slices of work; searches go on meanwhile.
   */
  apply(upserts: readonly IndexEntry[], removedIds: readonly string[]): Promise<void>;
  /** How many live tracks it holds. */
  readonly size: number;
}

/** Builds an index from all live tracks, yielding to the event loop between slices of work. */
export type BuildIndex = (entries: AsyncIterable<readonly IndexEntry[]>) => Promise<CatalogIndex>;

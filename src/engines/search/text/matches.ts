/**
 * The tracks of one segment that a query finds, in catalog order. An implementation may be a view on other
 * sets that is valid only until these change.
 */
export interface Matches {
  /** The number of matches. */
  readonly count: number;
  has(ordinal: number): boolean;
  /** The number of matches in `from` to `to - 1`. */
  countBetween(from: number, to: number): number;
  /**
   * Calls back for the matches in `from` to `to - 1` in order, without the first `skip`, until the callback
   * returns true.
   */
  visit(from: number, to: number, skip: number, visit: (ordinal: number) => boolean): void;
  /** Adds all matches to an empty set. */
  copyTo(set: TrackCollector): void;
}

/** A set that tracks are added to, one by one or as the intersection of bitsets. */
export interface TrackCollector {
  add(ordinal: number): void;
  /** Sets it to the ordinals of `from` to `to - 1` that are in all of the bitsets. */
  become(bitsets: readonly Uint32Array[], from: number, to: number): void;
}

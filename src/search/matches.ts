/**
 * Tracks of one segment that answer a question, in catalog order. What implements it may be a view
 * on others, good only until these change.
 */
export interface Matches {
  /** How many there are. */
  readonly count: number;
  has(ordinal: number): boolean;
  /** How many of them lie in `from` to `to - 1`. */
  countBetween(from: number, to: number): number;
  /**
   * Calls back for those of `from` to `to - 1` in order, but for the first `skip`, until the
   * callback returns true.
   */
  visit(from: number, to: number, skip: number, visit: (ordinal: number) => boolean): void;
  /** Adds them all to an empty set. */
  copyTo(set: Gathered): void;
}

/** A set that tracks are put into, by one or by the whole of some bitsets. */
export interface Gathered {
  add(ordinal: number): void;
  /** Makes it the ordinals of `from` to `to - 1` that are in every one of the bitsets. */
  become(bitsets: readonly Uint32Array[], from: number, to: number): void;
}

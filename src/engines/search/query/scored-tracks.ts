import type { BitKernel } from '../sets/bit-kernel.ts';
import { type Scores, SETS_ADDED } from '../sets/scores.ts';
import type { TrackSet } from '../sets/track-set.ts';
import type { SegmentSearch } from './segment-search.ts';

/** The share of the tracks from which adding to all scores costs less than adding to those of a set. */
const MANY = 1 / 64;

/** The scores of the tracks of a segment for one query. The points of several sets with many members are added at once. */
export class ScoredTracks {
  readonly scores: Scores;
  readonly #kernel: BitKernel;
  readonly #result: TrackSet;
  readonly #free: TrackSet[];
  readonly #waiting: { set: TrackSet; points: number }[] = [];

  constructor(part: SegmentSearch) {
    this.#kernel = part.kernel;
    this.scores = part.takeScores();
    this.#result = part.take();
    this.#free = Array.from({ length: SETS_ADDED }, () => part.take());
  }

  /** Returns an empty set for the next call of `add`. */
  takeSet(): TrackSet {
    const set = this.#free.at(-1)!;
    set.clear();
    return set;
  }

  /** Adds points to the members of the set that was taken. */
  add(set: TrackSet, points: number): void {
    const { scores } = this.scores;
    if (set.count < scores.length * MANY) {
      set.addTo(scores, points);
      return;
    }
    this.#waiting.push({ set, points });
    this.#free.pop();
    if (this.#free.length === 0) this.#addWaiting();
  }

  /**
   * Ends the query. Returns the members of a set that have more than one point, after adding some to each; other tracks lose
   * their scores.
   */
  found(admitted: TrackSet, added: number): TrackSet {
    this.#addWaiting();
    if (added > 0) this.#kernel.addPoints(this.scores, [admitted.bits], [added]);
    this.#result.becomeScored(this.scores, admitted);
    return this.#result;
  }

  #addWaiting(): void {
    const waiting = this.#waiting.splice(0);
    this.#kernel.addPoints(
      this.scores,
      waiting.map(({ set }) => set.bits),
      waiting.map(({ points }) => points),
    );
    this.#free.push(...waiting.map(({ set }) => set));
  }
}

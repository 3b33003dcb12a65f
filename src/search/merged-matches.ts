import type { Matches } from './matches.ts';
import { partitionPoint } from './partition-point.ts';
import type { Segment } from './segment.ts';

/** With so many matches in the delta, halving the way to a page costs less than going all of it. */
const MANY = 100;

/** What answers a question in the base and in the delta. */
export type Pair = readonly [inBase: Matches, inDelta: Matches];

/** Called with a track; true ends the walk. */
export type VisitTrack = (segment: Segment, ordinal: number) => boolean;

/** The two segments as one catalog: its order, and the ways through it. */
export class MergedCatalog {
  readonly base: Segment;
  readonly delta: Segment;
  /** For each track of the delta, how many ordinals of the base come before it. */
  readonly #places: Uint32Array;

  constructor(base: Segment, delta: Segment, places: Uint32Array) {
    this.base = base;
    this.delta = delta;
    this.#places = places;
  }

  /** Less than zero where the base's track comes before the delta's. */
  compare(inBase: number, inDelta: number): number {
    return inBase < this.#places[inDelta]! ? -1 : 1;
  }

  /** Goes through the matches in the order of the catalog, but for the first `skip`. */
  visit([inBase, inDelta]: Pair, skip: number, visit: VisitTrack): void {
    const { base, delta } = this;
    if (inDelta.count === 0) {
      inBase.visit(0, base.size, skip, (ordinal) => visit(base, ordinal));
      return;
    }
    const isNear = skip === 0 || inDelta.count < MANY;
    const start = isNear ? 0 : this.#startFor([inBase, inDelta], skip);
    let from = start === 0 ? 0 : this.#places[start]!;
    let left = start === 0 ? skip : skip - this.#before([inBase, inDelta], start);
    let ended = false;
    const passBase = (to: number): void => {
      const passed = left === 0 ? 0 : Math.min(left, inBase.countBetween(from, to));
      left -= passed;
      inBase.visit(from, to, passed, (ordinal) => {
        ended = visit(base, ordinal);
        return ended;
      });
      from = to;
    };
    inDelta.visit(start, delta.size, 0, (ordinal) => {
      passBase(this.#places[ordinal]!);
      if (!ended) {
        if (left > 0) left--;
        else ended = visit(delta, ordinal);
      }
      return ended;
    });
    if (!ended) passBase(base.size);
  }

  /** How many of the matches come before a track of the delta. */
  #before([inBase, inDelta]: Pair, ordinal: number): number {
    return inDelta.countBetween(0, ordinal) + inBase.countBetween(0, this.#places[ordinal]!);
  }

  /** The last track of the delta with no more than `skip` matches before it, if any; the first else. */
  #startFor(pair: Pair, skip: number): number {
    const few = (ordinal: number) => this.#before(pair, ordinal) <= skip;
    return Math.max(0, partitionPoint(0, this.delta.size, few) - 1);
  }

  /** Up to `limit` numbers of the matches from `skip` on, in the order of the catalog. */
  page(pair: Pair, skip: number, limit: number): number[] {
    const numbers: number[] = [];
    if (limit > 0) {
      this.visit(pair, skip, (segment, ordinal) => {
        numbers.push(segment.tracks.numbers[ordinal]!);
        return numbers.length === limit;
      });
    }
    return numbers;
  }
}

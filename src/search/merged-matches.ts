import type { Matches } from './matches.ts';
import { partitionPoint } from './partition-point.ts';
import type { Segment } from './segment.ts';

/** The number of matches in the delta from which a binary search for the page costs less than walking to it. */
const BINARY_SEARCH_FROM = 100;

/** The matches of a query in the base and in the delta. */
export type Pair = readonly [inBase: Matches, inDelta: Matches];

/** Called with a track. The walk ends when it returns true. */
export type VisitTrack = (segment: Segment, ordinal: number) => boolean;

/** Base and delta as one catalog, in catalog order. */
export class MergedCatalog {
  readonly base: Segment;
  readonly delta: Segment;
  /** For each track of the delta, the number of ordinals of the base that come before it. */
  readonly #places: Uint32Array;

  constructor(base: Segment, delta: Segment, places: Uint32Array) {
    this.base = base;
    this.delta = delta;
    this.#places = places;
  }

  /** Negative if the track of the base comes before the track of the delta, positive otherwise. */
  compare(inBase: number, inDelta: number): number {
    return inBase < this.#places[inDelta]! ? -1 : 1;
  }

  /** Walks through the matches in catalog order, without the first `skip`. */
  visit([inBase, inDelta]: Pair, skip: number, visit: VisitTrack): void {
    const { base, delta } = this;
    if (inDelta.count === 0) {
      inBase.visit(0, base.size, skip, (ordinal) => visit(base, ordinal));
      return;
    }
    const isNear = skip === 0 || inDelta.count < BINARY_SEARCH_FROM;
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

  /** The number of matches that come before a track of the delta. */
  #before([inBase, inDelta]: Pair, ordinal: number): number {
    return inDelta.countBetween(0, ordinal) + inBase.countBetween(0, this.#places[ordinal]!);
  }

  /** The last track of the delta that has at most `skip` matches before it; the first track if none has. */
  #startFor(pair: Pair, skip: number): number {
    const few = (ordinal: number) => this.#before(pair, ordinal) <= skip;
    return Math.max(0, partitionPoint(0, this.delta.size, few) - 1);
  }

  /** The row ids of up to `limit` matches from `skip` on, in catalog order. */
  page(pair: Pair, skip: number, limit: number): number[] {
    const rowIds: number[] = [];
    if (limit > 0) {
      this.visit(pair, skip, (segment, ordinal) => {
        rowIds.push(segment.tracks.rowIds[ordinal]!);
        return rowIds.length === limit;
      });
    }
    return rowIds;
  }
}

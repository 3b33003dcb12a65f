import type { Restrictions } from '../query/restrictions.ts';
import { maskBetween } from '../sets/bits.ts';
import { partitionPoint } from '../sets/partition-point.ts';
import type { TrackSet } from '../sets/track-set.ts';
import type { Matches, TrackCollector } from './matches.ts';
import { WordVisitor } from './word-visitor.ts';

/** The cost of reading one track, in tracks that the bit kernel processes in the same time. */
const TRACKS_A_READ = 8;

/** How many matches are read at a time: about a page. */
const TRACKS_A_PAGE = 32;

/**
 * The tracks that have several labels, if their number is known without counting. A page of them is read from
 * the bitsets of the labels; the whole set is written only when most of it is needed.
 */
export class CommonMatches implements Matches {
  readonly count: number;
  readonly #restrictions: Restrictions;
  readonly #write: () => TrackSet;
  #set: TrackSet | undefined;

  /**
   * @param restrictions have labels only
   * @param write writes the same tracks into a set that stays valid for the current query
   */
  constructor(count: number, restrictions: Restrictions, write: () => TrackSet) {
    this.count = count;
    this.#restrictions = restrictions;
    this.#write = write;
  }

  has(ordinal: number): boolean {
    return this.#restrictions.admits(ordinal);
  }

  countBetween(from: number, to: number): number {
    return this.#written().countBetween(from, to);
  }

  copyTo(set: TrackCollector): void {
    const { candidates, bitsets, from, to } = this.#restrictions;
    if (candidates === undefined) set.become(bitsets, from, to);
    else this.#written().copyTo(set);
  }

  visit(from: number, to: number, skip: number, visit: (ordinal: number) => boolean): void {
    const { candidates, bitsets } = this.#restrictions;
    if (candidates !== undefined) {
      this.#visitCandidates(candidates, from, to, skip, visit);
    } else if (this.#set !== undefined || (skip + TRACKS_A_PAGE) * TRACKS_A_READ > this.count) {
      this.#written().visit(from, to, skip, visit);
    } else {
      walk(bitsets, from, to, skip, visit);
    }
  }

  #visitCandidates(
    candidates: Uint32Array,
    from: number,
    to: number,
    skip: number,
    visit: (ordinal: number) => boolean,
  ): void {
    let left = skip;
    let i = partitionPoint(0, candidates.length, (at) => candidates[at]! < from);
    for (; i < candidates.length && candidates[i]! < to; i++) {
      if (!this.#restrictions.admits(candidates[i]!, true)) continue;
      if (left > 0) left--;
      else if (visit(candidates[i]!)) return;
    }
  }

  #written(): TrackSet {
    this.#set ??= this.#write();
    return this.#set;
  }
}

/** Visits the common members of the bitsets, word by word. */
function walk(
  [first, ...others]: readonly Uint32Array[],
  from: number,
  to: number,
  skip: number,
  visit: (ordinal: number) => boolean,
): void {
  const visitor = new WordVisitor(skip, visit);
  for (let i = from >>> 5; i << 5 < to; i++) {
    let word = first![i]! & maskBetween(i, from, to);
    for (let j = 0; j < others.length && word !== 0; j++) {
      word &= others[j]![i]!;
    }
    if (word !== 0 && visitor.takeWord(i, word)) {
      return;
    }
  }
}

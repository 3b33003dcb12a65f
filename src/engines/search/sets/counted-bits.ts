import type { Matches, TrackCollector } from '../text/matches.ts';
import { WordVisitor } from '../text/word-visitor.ts';
import { maskBetween, ones } from './bits.ts';

/** The size of a block that has one count, as a shift: 16,384 tracks, or 512 words. */
const COUNTED_BLOCK_SHIFT = 14;

/** The number of counts of a set of the ordinals below `size`. */
export function countedBlocks(size: number): number {
  return (size >>> COUNTED_BLOCK_SHIFT) + 1;
}

/**
 * The live members of an immutable bitset, with their number in each block of 16,384 tracks. The counts give
 * the total at once, and let a page be found without reading what comes before it.
 */
export class CountedBits implements Matches {
  readonly #bits: Uint32Array;
  readonly #live: Uint32Array;
  readonly #counts: Uint32Array;
  readonly #size: number;
  #count: number;

  /**
   * @param counts the numbers of the members of `bits` that are in `live`, block by block; the set keeps and
   *   changes them. All members are below `size`.
   */
  constructor(bits: Uint32Array, live: Uint32Array, counts: Uint32Array, size: number) {
    this.#size = size;
    this.#bits = bits;
    this.#live = live;
    this.#counts = counts;
    this.#count = counts.reduce((sum, count) => sum + count, 0);
  }

  get count(): number {
    return this.#count;
  }

  /** Updates the counts. Must be called for each member that is removed from `live`. */
  memberRemoved(ordinal: number): void {
    this.#counts[ordinal >>> COUNTED_BLOCK_SHIFT]!--;
    this.#count--;
  }

  has(ordinal: number): boolean {
    const i = ordinal >>> 5;
    return (this.#bits[i]! & this.#live[i]! & (1 << (ordinal & 31))) !== 0;
  }

  copyTo(set: TrackCollector): void {
    set.become([this.#bits, this.#live], 0, this.#size);
  }

  countBetween(from: number, to: number): number {
    let count = 0;
    this.#walk(
      from,
      to,
      (whole) => {
        count += whole;
        return true;
      },
      (_, word) => {
        count += ones(word);
        return false;
      },
    );
    return count;
  }

  visit(from: number, to: number, skip: number, visit: (ordinal: number) => boolean): void {
    const visitor = new WordVisitor(skip, visit);
    this.#walk(
      from,
      to,
      (whole) => {
        if (whole > visitor.left) {
          return false;
        }
        visitor.left -= whole;
        return true;
      },
      (i, word) => visitor.takeWord(i, word),
    );
  }

  /**
   * Walks through `from` to `to - 1`. Calls `pass` with the count of each block that lies in the range as a
   * whole. Unless `pass` returns true, calls `visit` for the words of the block, until that returns true.
   */
  #walk(
    from: number,
    to: number,
    pass: (count: number) => boolean,
    visit: (i: number, word: number) => boolean,
  ): void {
    for (let at = from; at < to; ) {
      const block = at >>> COUNTED_BLOCK_SHIFT;
      const end = Math.min(to, (block + 1) << COUNTED_BLOCK_SHIFT);
      const isWhole = at === block << COUNTED_BLOCK_SHIFT && end - at === 1 << COUNTED_BLOCK_SHIFT;
      if (!isWhole || !pass(this.#counts[block]!)) {
        for (let i = at >>> 5; i <= (end - 1) >>> 5; i++) {
          const word = this.#bits[i]! & this.#live[i]! & maskBetween(i, at, end);
          if (word !== 0 && visit(i, word)) {
            return;
          }
        }
      }
      at = end;
    }
  }
}

/** Adds the number of members of each block of a bitset to `counts`. */
export function countBlocks(bits: Uint32Array, counts: Uint32Array): void {
  for (let i = 0; i < bits.length; i++) {
    if (bits[i] !== 0) {
      counts[i >>> (COUNTED_BLOCK_SHIFT - 5)]! += ones(bits[i]!);
    }
  }
}

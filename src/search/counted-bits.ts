import { maskBetween, ones } from './bits.ts';
import type { Gathered, Matches } from './matches.ts';
import { WordVisitor } from './word-visitor.ts';

/** Tracks for which one count is kept: 512 words of bits. */
export const COUNTED_BLOCK_SHIFT = 14;

/** How many counts a set of the ordinals below `size` has. */
export function countedBlocks(size: number): number {
  return (size >>> COUNTED_BLOCK_SHIFT) + 1;
}

/**
 * A large set that loses members now and then: a frozen bitset, from which those are taken that are
 * not in `live`, with the number of those left in each block of 16,384. Knows its count, and finds
 * any page by it, without going through what lies before.
 */
export class CountedBits implements Matches {
  readonly #bits: Uint32Array;
  readonly #live: Uint32Array;
  readonly #counts: Uint32Array;
  readonly #size: number;
  #count: number;

  /** Takes over `counts`, which must be those of the members of `bits` that are in `live`; all lie below `size`. */
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

  /** To be told of each member that leaves `live`. */
  lost(ordinal: number): void {
    this.#counts[ordinal >>> COUNTED_BLOCK_SHIFT]!--;
    this.#count--;
  }

  has(ordinal: number): boolean {
    const i = ordinal >>> 5;
    return (this.#bits[i]! & this.#live[i]! & (1 << (ordinal & 31))) !== 0;
  }

  copyTo(set: Gathered): void {
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
   * Goes through `from` to `to - 1`: asks `pass` with the count of each block that lies in it whole,
   * and where that does not return true, calls `visit` for its words, until that returns true.
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

/** The counts of the members of a bitset, block by block. */
export function countBlocks(bits: Uint32Array, counts: Uint32Array): void {
  for (let i = 0; i < bits.length; i++) {
    if (bits[i] !== 0) {
      counts[i >>> (COUNTED_BLOCK_SHIFT - 5)]! += ones(bits[i]!);
    }
  }
}

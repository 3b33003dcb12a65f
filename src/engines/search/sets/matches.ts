import { hasBit, lowestBit, maskBetween, ones, partitionPoint } from './bits.ts';

/**
 * The tracks of one segment that a query finds, in catalog order. An implementation may be a view on other
 * sets that is valid only until these change.
 */
export interface Matches {
  readonly count: number;
  has(ordinal: number): boolean;
  /** The number of matches in `from` to `to - 1`. */
  countBetween(from: number, to: number): number;
  /**
   * Calls back for the matches in `from` to `to - 1` in order, without the first `skip`, until the callback
   * returns true.
   */
  visit(from: number, to: number, skip: number, visit: (ordinal: number) => boolean): void;
  copyTo(set: TrackCollector): void;
}

/** A set that tracks are added to, one by one or as the intersection of bitsets. */
export interface TrackCollector {
  add(ordinal: number): void;
  /** Sets it to the ordinals of `from` to `to - 1` that are in all of the bitsets. */
  become(bitsets: readonly Uint32Array[], from: number, to: number): void;
}

/** Visits the members of bitsets word by word, without the first `left`. */
export class WordVisitor {
  left: number;
  readonly #visit: (ordinal: number) => boolean;

  /** @param visit returns true to end the walk */
  constructor(skip: number, visit: (ordinal: number) => boolean) {
    this.left = skip;
    this.#visit = visit;
  }

  /** Visits the members in word `i`. Returns true if the walk has ended. */
  takeWord(i: number, bits: number): boolean {
    let word = bits;
    if (this.left > 0) {
      const count = ones(word);
      if (count <= this.left) {
        this.left -= count;
        return false;
      }
      for (; this.left > 0; this.left--) {
        word &= word - 1;
      }
    }
    for (; word !== 0; word &= word - 1) {
      if (this.#visit((i << 5) + lowestBit(word))) {
        return true;
      }
    }
    return false;
  }
}

/** The live tracks of a short sorted list of ordinals. */
export class SortedMatches implements Matches {
  readonly count: number;
  readonly #ordinals: Uint32Array;
  readonly #live: Uint32Array;
  readonly #isWhole: boolean;

  /** @param count the number of the ordinals that are in `live` */
  constructor(ordinals: Uint32Array, live: Uint32Array, count: number) {
    this.#ordinals = ordinals;
    this.#live = live;
    this.count = count;
    this.#isWhole = count === ordinals.length;
  }

  has(ordinal: number): boolean {
    return this.#ordinals[this.#placeOf(ordinal)] === ordinal && hasBit(this.#live, ordinal);
  }

  countBetween(from: number, to: number): number {
    const [first, end] = [this.#placeOf(from), this.#placeOf(to)];
    if (this.#isWhole) {
      return Math.max(0, end - first);
    }
    let count = 0;
    for (let i = first; i < end; i++) {
      if (hasBit(this.#live, this.#ordinals[i]!)) {
        count++;
      }
    }
    return count;
  }

  visit(from: number, to: number, skip: number, visit: (ordinal: number) => boolean): void {
    let left = this.#isWhole ? 0 : skip;
    let i = this.#placeOf(from) + (this.#isWhole ? skip : 0);
    for (; i < this.#ordinals.length && this.#ordinals[i]! < to; i++) {
      const ordinal = this.#ordinals[i]!;
      if (!hasBit(this.#live, ordinal)) {
        continue;
      }
      if (left > 0) {
        left--;
      } else if (visit(ordinal)) {
        return;
      }
    }
  }

  copyTo(set: TrackCollector): void {
    for (const ordinal of this.#ordinals) {
      if (hasBit(this.#live, ordinal)) {
        set.add(ordinal);
      }
    }
  }

  #placeOf(ordinal: number): number {
    const ordinals = this.#ordinals;
    return partitionPoint(0, ordinals.length, (i) => ordinals[i]! < ordinal);
  }
}

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

export function countBlocks(bits: Uint32Array, counts: Uint32Array): void {
  for (let i = 0; i < bits.length; i++) {
    if (bits[i] !== 0) {
      counts[i >>> (COUNTED_BLOCK_SHIFT - 5)]! += ones(bits[i]!);
    }
  }
}

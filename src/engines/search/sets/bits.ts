export function ones(word: number): number {
  let n = word - ((word >>> 1) & 0x5555_5555);
  n = (n & 0x3333_3333) + ((n >>> 2) & 0x3333_3333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/** The position of the lowest bit that is set. At least one bit must be set. */
export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

export function hasBit(bits: Uint32Array, i: number): boolean {
  return (bits[i >>> 5]! & (1 << (i & 31))) !== 0;
}

/** Bitsets of tracks consist of whole blocks of 512 tracks: sixteen words, one cache line. */
export const BLOCK_SHIFT = 9;
export const WORDS_A_BLOCK_SHIFT = BLOCK_SHIFT - 5;

/** The number of 32-bit words of a bitset for the ordinals below `size`, in whole blocks. */
export function wordsFor(size: number): number {
  return ((size >>> BLOCK_SHIFT) + 1) << WORDS_A_BLOCK_SHIFT;
}

/** A mask of the bits of word `i` that lie in `from` to `to - 1`. */
export function maskBetween(i: number, from: number, to: number): number {
  let mask = -1;
  if (i === from >>> 5) {
    mask &= -1 << (from & 31);
  }
  if (i === to >>> 5) {
    mask &= (1 << (to & 31)) - 1;
  }
  return mask;
}

/** How many tracks (and how many bitset words) one word of the map covers, as shifts. */
export const TRACKS_A_MAP_WORD_SHIFT = BLOCK_SHIFT + 5;
const WORDS_A_MAP_WORD_SHIFT = WORDS_A_BLOCK_SHIFT + 5;

/** Marks the blocks of 512 tracks of a bitset that may have members, so that the other blocks can be skipped. */
export class BlockMap {
  /** One bit for each block. Loops over many tracks set these bits directly. */
  readonly words: Uint32Array;
  readonly #length: number;

  /** @param length the length of the bitset, in words. */
  constructor(length: number) {
    this.#length = length;
    this.words = new Uint32Array((length >>> WORDS_A_MAP_WORD_SHIFT) + 1);
  }

  mark(word: number): void {
    this.words[word >>> WORDS_A_MAP_WORD_SHIFT]! |= 1 << ((word >>> WORDS_A_BLOCK_SHIFT) & 31);
  }

  /** Marks the blocks `first` to `last`, by default all. */
  fill(first = 0, last = (this.#length >>> WORDS_A_BLOCK_SHIFT) - 1): void {
    for (let block = first; block <= last; block++) this.mark(block << WORDS_A_BLOCK_SHIFT);
  }

  clear(): void {
    this.words.fill(0);
  }

  each(visit: (firstWord: number, endWord: number) => void): void {
    for (let i = 0; i < this.words.length; i++) {
      for (let blocks = this.words[i]!; blocks !== 0; blocks &= blocks - 1) {
        const first = ((i << 5) + lowestBit(blocks)) << WORDS_A_BLOCK_SHIFT;
        visit(first, first + (1 << WORDS_A_BLOCK_SHIFT));
      }
    }
  }

  /**
   * Calls back for each word of the bitset that has members in `from` to `to - 1`, until the callback returns
   * true.
   */
  eachWord(
    bits: Uint32Array,
    from: number,
    to: number,
    visit: (i: number, word: number) => boolean,
  ): void {
    if (from >= to) {
      return;
    }
    const lastBlock = (to - 1) >>> BLOCK_SHIFT;
    for (let block = from >>> BLOCK_SHIFT; block <= lastBlock; block++) {
      const blocks = this.words[block >>> 5]! >>> (block & 31);
      if (blocks === 0) {
        // The rest of this word of the map has no marked block.
        block |= 31;
        continue;
      }
      if ((blocks & 1) === 0) {
        continue;
      }
      const first = Math.max(from >>> 5, block << WORDS_A_BLOCK_SHIFT);
      const last = Math.min((to - 1) >>> 5, (block << WORDS_A_BLOCK_SHIFT) + 15);
      for (let i = first; i <= last; i++) {
        const word = bits[i]! & maskBetween(i, from, to);
        if (word !== 0 && visit(i, word)) {
          return;
        }
      }
    }
  }
}

/**
 * Finds the first position in `from` to `to - 1` at which `holds` is false; `to` if there is none. `holds`
 * must be true up to some position and false from there on. It is called about log2 times.
 */
export function partitionPoint(from: number, to: number, holds: (i: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** Marks entries, such as words. Allocated at the first use; each call of `mark` forgets the entries before. */
export class Marks {
  #marks: Uint32Array | undefined;
  #current = 0;
  readonly #length: number;

  constructor(length: number) {
    this.#length = length;
  }

  mark(entries: ArrayLike<number>): void {
    this.#marks ??= new Uint32Array(this.#length);
    this.#current = (this.#current + 1) >>> 0;
    if (this.#current === 0) {
      this.#marks.fill(0);
      this.#current = 1;
    }
    for (let i = 0; i < entries.length; i++) this.#marks[entries[i]!] = this.#current;
  }

  add(entry: number): void {
    this.#marks![entry] = this.#current;
  }

  has(entry: number): boolean {
    return this.#marks![entry] === this.#current;
  }
}

interface Tracks {
  readonly count: number;
  has(ordinal: number): boolean;
  each(visit: (ordinal: number) => void): void;
}

/** The cost of searching an ascending list for one track, in ordinals of a list that are read in the same time. */
const ORDINALS_A_SEARCH = 16;

/** Whether searching an ascending list for each track of a set costs less than reading the list. */
export function isLong(ordinals: Uint32Array, set: Tracks): boolean {
  return costOfCommon(ordinals, set.count) < ordinals.length;
}

/** The cost of finding which of `tracks` tracks are in an ascending list, in ordinals that are read. */
export function costOfCommon(ordinals: Uint32Array, tracks: number): number {
  return Math.min(ordinals.length, tracks * ORDINALS_A_SEARCH);
}

/** Calls back for each track of a set that is in an ascending list. */
export function eachCommon(
  ordinals: Uint32Array,
  set: Tracks,
  visit: (ordinal: number) => void,
): void {
  if (!isLong(ordinals, set)) {
    for (let i = 0; i < ordinals.length; i++) {
      if (set.has(ordinals[i]!)) visit(ordinals[i]!);
    }
    return;
  }
  let at = 0;
  set.each((ordinal) => {
    at = firstNotBelow(ordinals, at, ordinal);
    if (ordinals[at] === ordinal) visit(ordinal);
  });
}

/** Finds the first position from `from` on whose number is not less than the given one, in steps that double. */
function firstNotBelow(list: Uint32Array, from: number, number: number): number {
  let low = from;
  let step = 1;
  while (low + step < list.length && list[low + step]! < number) {
    low += step;
    step *= 2;
  }
  let high = Math.min(list.length, low + step);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

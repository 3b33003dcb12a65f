import { BLOCK_SHIFT, lowestBit, maskBetween, WORDS_A_BLOCK_SHIFT } from './bits.ts';

/** How many tracks (and how many bitset words) one word of the map covers, as shifts. */
export const TRACKS_A_MAP_WORD_SHIFT = BLOCK_SHIFT + 5;
const WORDS_A_MAP_WORD_SHIFT = WORDS_A_BLOCK_SHIFT + 5;

/** Marks the blocks of 512 tracks of a bitset that may have members, so that the other blocks can be skipped. */
export class BlockMap {
  /** One bit for each block. Loops over many tracks set these bits directly. */
  readonly words: Uint32Array;

  /** @param length the length of the bitset, in words. */
  constructor(length: number) {
    this.words = new Uint32Array((length >>> WORDS_A_MAP_WORD_SHIFT) + 1);
  }

  /** Marks the block that contains a word of the bitset. */
  mark(word: number): void {
    this.words[word >>> WORDS_A_MAP_WORD_SHIFT]! |= 1 << ((word >>> WORDS_A_BLOCK_SHIFT) & 31);
  }

  clear(): void {
    this.words.fill(0);
  }

  /** Calls back with the range of words of each marked block. */
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

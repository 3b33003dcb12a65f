/** The number of bits that are set. */
export function ones(word: number): number {
  let n = word - ((word >>> 1) & 0x5555_5555);
  n = (n & 0x3333_3333) + ((n >>> 2) & 0x3333_3333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/** The position of the lowest bit that is set. At least one bit must be set. */
export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
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

import { typosForgiven } from './text-query.ts';

/**
 * The length of the prefix of a word whose variants are indexed. The measurements are in
 * docs/adr/0005-own-search-index.md.
 */
export const PREFIX_LENGTH = 7;

/** The number of variants of a prefix: itself, with one character deleted, and with two deleted. */
export const MAX_VARIANTS = 1 + PREFIX_LENGTH + (PREFIX_LENGTH * (PREFIX_LENGTH - 1)) / 2;

/** An odd number and its inverse modulo 2 ** 32. */
const FACTOR = 0x9e37_79b1;
const INVERSE = 0x0e8b_2f51;

/** For each position in the prefix, the sum of the characters before it. */
const sums = new Int32Array(PREFIX_LENGTH + 1);

/**
 * Hashes the variants of a prefix: the texts that remain after deleting up to `deletions` characters, at most
 * two. Equal variants have equal hashes, and different ones rarely do. A variant may occur more than once.
 *
 * No variant is written out. A character contributes its code times FACTOR to the power of its position. A
 * character that moves forward by one position contributes INVERSE times that, so the hash of a variant is a
 * sum of up to three ranges.
 * @param length the length of the prefix, at most PREFIX_LENGTH
 * @param into has room for MAX_VARIANTS hashes
 * @returns the number of variants
 */
export function hashVariants(
  characters: Uint32Array,
  length: number,
  deletions: number,
  into: Uint32Array,
): number {
  let power = FACTOR;
  for (let i = 0; i < length; i++) {
    sums[i + 1] = sums[i]! + Math.imul(characters[i]!, power);
    power = Math.imul(power, FACTOR);
  }
  const all = sums[length]!;
  let count = 0;
  into[count++] = mixed(all);
  for (let i = 0; deletions > 0 && i < length; i++) {
    // Deleting any of several equal neighbors gives the same text, so only the first is deleted.
    if (i > 0 && characters[i] === characters[i - 1]) continue;
    const before = sums[i]!;
    const after = sums[i + 1]!;
    into[count++] = mixed(before + Math.imul(all - after, INVERSE));
    for (let j = i + 1; deletions > 1 && j < length; j++) {
      if (j > i + 1 && characters[j] === characters[j - 1]) continue;
      const between = Math.imul(sums[j]! - after, INVERSE);
      const last = Math.imul(Math.imul(all - sums[j + 1]!, INVERSE), INVERSE);
      into[count++] = mixed(before + between + last);
    }
  }
  return count;
}

/** Mixes the bits of a sum so that differences reach all bits, especially the upper ones. */
function mixed(sum: number): number {
  const upper = Math.imul(sum ^ (sum >>> 16), 0x85eb_ca6b);
  return Math.imul(upper ^ (upper >>> 13), 0xc2b2_ae35);
}

/**
 * The greatest number of characters to delete from the prefix of a dictionary word, by the length of the word
 * in characters; PREFIX_LENGTH stands for all longer words. Undefined if no word that allows typos can be
 * near.
 */
export const DELETIONS: readonly (number | undefined)[] = Array.from(
  { length: PREFIX_LENGTH + 1 },
  (_, length) => deletionsFor(length),
);

/**
 * The maximum over all lengths of a wanted word. The common variant is at least as long as the wanted prefix
 * less its typos, so the prefix of the dictionary word need not become shorter than that.
 */
function deletionsFor(length: number): number | undefined {
  let most: number | undefined;
  for (let wanted = Math.max(0, length - 2); wanted <= length + 2; wanted++) {
    const typos = typosForgiven('a'.repeat(wanted));
    if (typos > 0 && Math.abs(wanted - length) <= typos) {
      const longer = Math.min(length, PREFIX_LENGTH) - Math.min(wanted, PREFIX_LENGTH);
      most = Math.max(most ?? 0, Math.min(typos, typos + longer));
    }
  }
  return most;
}

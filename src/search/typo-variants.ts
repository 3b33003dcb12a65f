import { typosForgiven } from './text-query.ts';

/**
 * How many characters of a word are varied. Measured at 60,000 and at 320,000 words: with one less two
 * typos take up to three times as long, with one more the index is a sixth larger and the median the same.
 */
export const BEGINNING = 7;

/** Of a beginning: itself, with one character deleted, with two. */
export const MOST_VARIANTS = 1 + BEGINNING + (BEGINNING * (BEGINNING - 1)) / 2;

/** An odd number, and the one whose product with it is 1, modulo 2 ** 32. */
const FACTOR = 0x9e37_79b1;
const INVERSE = 0x0e8b_2f51;

/** Of each place in the beginning: what the characters before it add up to. */
const sums = new Int32Array(BEGINNING + 1);

/**
 * Hashes the variants of a beginning: what is left of it with up to so many characters deleted, two at
 * most. Equal variants have equal hashes, others hardly ever; a variant may come more than once.
 *
 * No variant is written out. A character counts for itself times FACTOR to the power of its place, so
 * one that moves forward by a place counts for INVERSE times that, and a variant is a sum of up to three
 * stretches.
 * @param length of the beginning: so many of the characters, and no more than BEGINNING
 * @param into room for MOST_VARIANTS
 * @returns how many they are
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
    // To delete one of equal neighbours is to delete the first of them.
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

/** Spreads what tells sums apart over all bits, the upper ones above all. */
function mixed(sum: number): number {
  const upper = Math.imul(sum ^ (sum >>> 16), 0x85eb_ca6b);
  return Math.imul(upper ^ (upper >>> 13), 0xc2b2_ae35);
}

/**
 * How many characters to delete at most from the beginning of a word of the dictionary, by its length
 * in characters, BEGINNING standing for all that are longer; undefined where no word that typos are
 * forgiven in is near.
 */
export const DELETIONS: readonly (number | undefined)[] = Array.from(
  { length: BEGINNING + 1 },
  (_, length) => deletionsFor(length),
);

/**
 * The most over all lengths of a wanted word. What both become is as long as the wanted beginning less its
 * typos, or longer, and the word's own beginning need not be made any shorter than that.
 */
function deletionsFor(length: number): number | undefined {
  let most: number | undefined;
  for (let wanted = Math.max(0, length - 2); wanted <= length + 2; wanted++) {
    const typos = typosForgiven('a'.repeat(wanted));
    if (typos > 0 && Math.abs(wanted - length) <= typos) {
      const longer = Math.min(length, BEGINNING) - Math.min(wanted, BEGINNING);
      most = Math.max(most ?? 0, Math.min(typos, typos + longer));
    }
  }
  return most;
}

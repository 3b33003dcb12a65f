import { type DictionaryColumns, shared } from '../segments/columns.ts';
import { Marks } from '../sets/bits.ts';
import { typosForgiven } from './text-query.ts';
import type { WordList } from './word-list.ts';

/**
 * A word of a query that is compared with words of lists. A typo is one character inserted, deleted or
 * substituted, or two adjacent characters transposed; typos do not overlap (optimal string alignment).
 * Characters are code points; an unpaired surrogate counts as a character.
 */
export class WantedWord {
  readonly characters: Uint32Array;
  readonly typos: number;
  readonly #length: number;
  /** The characters of the word it is compared with, up to the greatest length that can be near. */
  readonly #other: Uint32Array;
  #otherLength = 0;

  /** @param typos the number of forgiven typos. Each additional typo may make a comparison four times as long. */
  constructor(text: string, typos: number) {
    this.characters = Uint32Array.from(text, (character) => character.codePointAt(0)!);
    this.typos = typos;
    this.#length = text.length;
    this.#other = new Uint32Array(this.characters.length + typos + 1);
  }

  /** Whether the word at a position of the list is at most `typos` typos away. */
  isNear(words: WordList, at: number): boolean {
    // A typo changes the length by at most one character, which has at most two units.
    if (Math.abs(words.lengthOf(at) - this.#length) > 2 * this.typos) {
      return false;
    }
    this.#otherLength = readCharacters(words, at, this.#other);
    return this.#isNearFrom(0, 0, this.typos);
  }

  /**
   * Whether the rests of the words, each from a position on, are at most `typos` typos apart. Equal
   * characters at the beginning of both cost nothing: some best alignment matches them. So a typo is where
   * they first differ. It is one of four kinds, most of which fail soon.
   */
  #isNearFrom(wantedFrom: number, otherFrom: number, typos: number): boolean {
    const wanted = this.characters;
    const other = this.#other;
    const end = this.#otherLength;
    let i = wantedFrom;
    let j = otherFrom;
    if (Math.abs(wanted.length - i - (end - j)) > typos) {
      return false;
    }
    while (i < wanted.length && j < end && wanted[i] === other[j]) {
      i++;
      j++;
    }
    if (i === wanted.length || j === end) {
      return true;
    }
    if (typos === 0) {
      return false;
    }
    // Past the end of either word there is no character, and nothing equals it.
    const isSwapped = wanted[i] === other[j + 1] && wanted[i + 1] === other[j] && j + 1 < end;
    return (
      this.#isNearFrom(i + 1, j + 1, typos - 1) ||
      this.#isNearFrom(i + 1, j, typos - 1) ||
      this.#isNearFrom(i, j + 1, typos - 1) ||
      (isSwapped && this.#isNearFrom(i + 2, j + 2, typos - 1))
    );
  }
}

/** Reads the first characters of a word, as many as `into` has room for, and returns their number. */
function readCharacters(words: WordList, at: number, into: Uint32Array): number {
  const length = words.lengthOf(at);
  let count = 0;
  for (let i = 0; i < length && count < into.length; i++) {
    let character = words.unit(at, i);
    if (character >= 0xd800 && character <= 0xdbff && i + 1 < length) {
      const low = words.unit(at, i + 1);
      if (low >= 0xdc00 && low <= 0xdfff) {
        character = ((character - 0xd800) << 10) + low - 0xdc00 + 0x1_0000;
        i++;
      }
    }
    into[count++] = character;
  }
  return count;
}

/**
 * The length of the prefix of a word whose variants are indexed. The measurements are in
 * docs/adr/0005-own-search-index.md.
 */
const PREFIX_LENGTH = 7;

/** The number of variants of a prefix: itself, with one character deleted, and with two deleted. */
const MAX_VARIANTS = 1 + PREFIX_LENGTH + (PREFIX_LENGTH * (PREFIX_LENGTH - 1)) / 2;

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
function hashVariants(
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
const DELETIONS: readonly (number | undefined)[] = Array.from(
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

type TypoColumns = Pick<DictionaryColumns, 'typoStarts' | 'typoWords'>;

const WORDS_PER_STEP = 1_024;
const BUCKETS_PER_STEP = 1 << 19;
/** The number of buckets per word. A word has about 25 variants. */
const BUCKETS_A_WORD = 12;

/** A scratch array. It can be shared because every use of it is synchronous. */
const characters = new Uint32Array(PREFIX_LENGTH);
const variants = new Uint32Array(MAX_VARIANTS);

/**
 * Finds the words near a wanted one by symmetric deletion, as in W. Garbe's SymSpell. Two words `k` typos
 * apart become the same text after at most `k` characters are deleted from each, because deleting a character
 * from one or both of them undoes a typo. The remaining characters form pairs, each a character of one word
 * with the same character of the other, in order.
 *
 * It is sufficient to vary the prefixes of PREFIX_LENGTH characters. Keep the pairs whose characters are both
 * in the prefixes. Suppose that other pairs have one character in a prefix. As pairs are in order, these
 * characters are all in the same word, and the other word is longer than its prefix. At most `k` characters
 * of that prefix are deleted, so at least `PREFIX_LENGTH - k` pairs remain, and at most `k` characters of the
 * other prefix are deleted as well.
 *
 * Words with similar prefixes share buckets, and so do words whose hashes collide, so each candidate is
 * compared with the wanted word. A search reads one bucket for each variant, and compares the words in it.
 */
export class TypoIndex {
  readonly #words: WordList;
  readonly #columns: TypoColumns;
  /** The words that a search has met. */
  readonly #met: Marks;

  constructor(words: WordList, columns: TypoColumns) {
    this.#words = words;
    this.#columns = columns;
    this.#met = new Marks(words.length);
  }

  /**
   * The positions of the words near the wanted one, ascending.
   * @param wanted with one or two typos, and at most what `typosForgiven` gives for it
   */
  near(wanted: WantedWord): number[] {
    const { typoStarts, typoWords } = this.#columns;
    if (typoWords.length === 0) {
      return [];
    }
    const buckets = typoStarts.length - 1;
    const met = this.#met;
    met.mark([]);
    const length = Math.min(wanted.characters.length, PREFIX_LENGTH);
    const count = hashVariants(wanted.characters, length, wanted.typos, variants);
    const near: number[] = [];
    for (let i = 0; i < count; i++) {
      const bucket = bucketOf(variants[i]!, buckets);
      const end = typoStarts[bucket + 1]!;
      for (let entry = typoStarts[bucket]!; entry < end; entry++) {
        const at = typoWords[entry]!;
        if (met.has(at)) continue;
        met.add(at);
        if (wanted.isNear(this.#words, at)) near.push(at);
      }
    }
    return near.sort((a, b) => a - b);
  }
}

export function noTypoColumns(): TypoColumns {
  return { typoStarts: shared.uint32(0), typoWords: shared.uint32(0) };
}

/** Indexes the words, in steps of a few milliseconds. */
export function* buildTypoColumns(words: WordList): Generator<void, TypoColumns> {
  const buckets = words.length * BUCKETS_A_WORD;
  const typoStarts = shared.uint32(buckets + 1);
  for (let at = 0; at < words.length; at++) {
    const count = variantsOf(words, at);
    for (let i = 0; i < count; i++) {
      typoStarts[bucketOf(variants[i]!, buckets)]!++;
    }
    if (at % WORDS_PER_STEP === WORDS_PER_STEP - 1) yield;
  }
  let entries = 0;
  for (let bucket = 0; bucket <= buckets; bucket++) {
    entries += typoStarts[bucket]!;
    typoStarts[bucket] = entries;
    if (bucket % BUCKETS_PER_STEP === BUCKETS_PER_STEP - 1) yield;
  }
  // Each bucket is filled from its end, so that its start is correct when it is full.
  const typoWords = shared.uint32(entries);
  for (let at = words.length - 1; at >= 0; at--) {
    const count = variantsOf(words, at);
    for (let i = 0; i < count; i++) {
      const bucket = bucketOf(variants[i]!, buckets);
      typoStarts[bucket]!--;
      typoWords[typoStarts[bucket]!] = at;
    }
    if (at % WORDS_PER_STEP === 0) yield;
  }
  return { typoStarts, typoWords };
}

/** Writes the hashes of the variants of a word into `variants`, and returns their number. */
function variantsOf(words: WordList, at: number): number {
  const length = readCharacters(words, at, characters);
  const deletions = DELETIONS[length];
  return deletions === undefined ? 0 : hashVariants(characters, length, deletions, variants);
}

/** Divides the range of hashes into equal parts. */
function bucketOf(hash: number, buckets: number): number {
  return Math.floor((hash / 2 ** 32) * buckets);
}

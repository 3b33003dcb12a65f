import { type DictionaryColumns, shared } from './columns.ts';
import { BEGINNING, DELETIONS, hashVariants, MOST_VARIANTS } from './typo-variants.ts';
import { readCharacters, type WantedWord } from './typos.ts';
import type { WordList } from './word-list.ts';

type TypoColumns = Pick<DictionaryColumns, 'typoStarts' | 'typoWords'>;

const WORDS_A_STEP = 1_024;
const BUCKETS_A_STEP = 1 << 19;
/** For some 25 variants. */
const BUCKETS_A_WORD = 12;

/** Scratch, for everything here is done at one go. */
const characters = new Uint32Array(BEGINNING);
const variants = new Uint32Array(MOST_VARIANTS);

/**
 * Finds the words near a wanted one by what both have in common (symmetric deletion, as in W. Garbe's
 * SymSpell): words `k` typos apart become the same text when at most `k` characters are deleted from
 * each, for a typo is undone by deleting a character from either or from both. What is left goes in
 * pairs, a character of the one word with the same of the other, in order.
 *
 * This holds for their beginnings of BEGINNING characters too, so only these are varied. A pair is kept
 * if both of its characters are within the beginnings. Suppose others have one within: then all of these
 * have it in the same word, as pairs are in order, and the other word is longer than its beginning. Of
 * that one all but `k` characters at most are kept, so `BEGINNING - k` pairs are, and the one word, whose
 * beginning is no longer, lacks no more than `k` either.
 *
 * Words of like beginnings share buckets, and so may any whose hashes fall together, so each is compared
 * with the wanted word. A search costs a bucket for each variant, and a comparison for each word in them:
 * tens of words in a dictionary of 60,000; a fraction of a microsecond for each that begins like it.
 */
export class TypoIndex {
  readonly #words: WordList;
  readonly #columns: TypoColumns;
  /** For each word, the search that it was last met in; made when it is needed first. */
  #lastMet: Uint32Array | undefined;
  #search = 0;

  constructor(words: WordList, columns: TypoColumns) {
    this.#words = words;
    this.#columns = columns;
  }

  /**
   * The positions of the words near the wanted one, ascending.
   * @param wanted with one typo or two, and no more than `typosForgiven` has for it
   */
  near(wanted: WantedWord): number[] {
    const { typoStarts, typoWords } = this.#columns;
    if (typoWords.length === 0) {
      return [];
    }
    const buckets = typoStarts.length - 1;
    const { lastMet, search } = this.#newSearch();
    const length = Math.min(wanted.characters.length, BEGINNING);
    const count = hashVariants(wanted.characters, length, wanted.typos, variants);
    const near: number[] = [];
    for (let i = 0; i < count; i++) {
      const bucket = bucketOf(variants[i]!, buckets);
      const end = typoStarts[bucket + 1]!;
      for (let entry = typoStarts[bucket]!; entry < end; entry++) {
        const at = typoWords[entry]!;
        if (lastMet[at] !== search) {
          lastMet[at] = search;
          if (wanted.isNear(this.#words, at)) {
            near.push(at);
          }
        }
      }
    }
    return near.sort((a, b) => a - b);
  }

  #newSearch(): { lastMet: Uint32Array; search: number } {
    this.#lastMet ??= new Uint32Array(this.#words.length);
    this.#search = (this.#search + 1) >>> 0;
    if (this.#search === 0) {
      this.#lastMet.fill(0);
      this.#search = 1;
    }
    return { lastMet: this.#lastMet, search: this.#search };
  }
}

/** The columns of an index in which nothing is ever looked up. */
export function noTypoColumns(): TypoColumns {
  return { typoStarts: shared.uint32(0), typoWords: shared.uint32(0) };
}

/** Indexes the words, in steps of a few milliseconds; about two microseconds a word. */
export function* buildTypoColumns(words: WordList): Generator<void, TypoColumns> {
  const buckets = words.length * BUCKETS_A_WORD;
  const typoStarts = shared.uint32(buckets + 1);
  for (let at = 0; at < words.length; at++) {
    const count = variantsOf(words, at);
    for (let i = 0; i < count; i++) {
      typoStarts[bucketOf(variants[i]!, buckets)]!++;
    }
    if (at % WORDS_A_STEP === WORDS_A_STEP - 1) yield;
  }
  let entries = 0;
  for (let bucket = 0; bucket <= buckets; bucket++) {
    entries += typoStarts[bucket]!;
    typoStarts[bucket] = entries;
    if (bucket % BUCKETS_A_STEP === BUCKETS_A_STEP - 1) yield;
  }
  // Each bucket is filled from its end, so its start is right once it is full.
  const typoWords = shared.uint32(entries);
  for (let at = words.length - 1; at >= 0; at--) {
    const count = variantsOf(words, at);
    for (let i = 0; i < count; i++) {
      const bucket = bucketOf(variants[i]!, buckets);
      typoStarts[bucket]!--;
      typoWords[typoStarts[bucket]!] = at;
    }
    if (at % WORDS_A_STEP === 0) yield;
  }
  return { typoStarts, typoWords };
}

/** Hashes the variants that the word is indexed under, into `variants`, and returns how many these are. */
function variantsOf(words: WordList, at: number): number {
  const length = readCharacters(words, at, characters);
  const deletions = DELETIONS[length];
  return deletions === undefined ? 0 : hashVariants(characters, length, deletions, variants);
}

/** Hashes in order, cut into equal parts. */
function bucketOf(hash: number, buckets: number): number {
  return Math.floor((hash / 2 ** 32) * buckets);
}

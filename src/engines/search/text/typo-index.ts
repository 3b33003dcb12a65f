import { type DictionaryColumns, shared } from '../segments/columns.ts';
import { DELETIONS, hashVariants, MAX_VARIANTS, PREFIX_LENGTH } from './typo-variants.ts';
import { readCharacters, type WantedWord } from './typos.ts';
import type { WordList } from './word-list.ts';

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
  /** For each word, the number of the last search that found it. Allocated at the first search. */
  #lastMet: Uint32Array | undefined;
  #search = 0;

  constructor(words: WordList, columns: TypoColumns) {
    this.#words = words;
    this.#columns = columns;
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
    const { lastMet, search } = this.#newSearch();
    const length = Math.min(wanted.characters.length, PREFIX_LENGTH);
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

/** The columns of an index without words. */
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

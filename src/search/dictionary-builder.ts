import { wordsFor } from './bits.ts';
import {
  type DictionaryColumns,
  type DictionaryMeta,
  GrowingUint32,
  shared,
  sharedUint32,
} from './columns.ts';
import { gramKey, LONGEST_GRAM } from './grams.ts';
import { buildTypoColumns, noTypoColumns } from './typo-index.ts';
import { WordList, wordColumns } from './word-list.ts';

const WORDS_A_STEP = 4_096;
const POSTINGS_A_STEP = 200_000;

/** Numbers words as they come, for a dictionary whose size is not known yet. */
export class WordNumbers {
  readonly #numbers = new Map<string, number>();

  /** The number of a word, its place in the order of first occurrence. */
  of(word: string): number {
    let number = this.#numbers.get(word);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(word, number);
    }
    return number;
  }

  /** All words, by number. */
  words(): string[] {
    return [...this.#numbers.keys()];
  }
}

/** What the dictionary is made from. */
export interface DictionaryInput {
  numbers: WordNumbers;
  /** Of how many tracks. */
  size: number;
  /** The numbers of the words of each track, by ordinal; become positions in the dictionary. */
  tokens: Uint32Array;
  tokenStarts: Uint32Array;
  /** Whether bitsets are made for common pieces: worth it for many tracks only. */
  withDensePieces: boolean;
  /** False where words are never asked for with typos, which takes memory; else they can be. */
  withTypos?: boolean;
}

/**
 * Sorts the words, turns the tokens into positions, inverts them into postings, and finds which
 * pieces are common; in steps of some milliseconds.
 */
export function* buildDictionary(
  input: DictionaryInput,
): Generator<void, { columns: DictionaryColumns; meta: DictionaryMeta }> {
  const { size, tokens, tokenStarts } = input;
  const unsorted = input.numbers.words();
  const words = unsorted.slice().sort();
  yield;
  yield* renumber(unsorted, words, tokens);
  const { units, starts } = wordColumns(words);
  yield;
  const { postings, postingStarts } = yield* invert(tokens, tokenStarts, size, words.length);
  const grams = yield* buildGrams(words);
  const typos =
    input.withTypos === false
      ? noTypoColumns()
      : yield* buildTypoColumns(new WordList(units, starts));
  const dense = input.withDensePieces
    ? yield* densePieces({ words, size, postings, postingStarts })
    : { pieces: [], beginnings: [], bits: shared.uint32(0) };
  return {
    columns: { units, starts, postings, postingStarts, ...grams, ...typos, pieceBits: dense.bits },
    meta: { densePieces: dense.pieces, denseBeginnings: dense.beginnings },
  };
}

/** Replaces each word's number among the unsorted by its position among the sorted. */
function* renumber(
  unsorted: readonly string[],
  words: readonly string[],
  tokens: Uint32Array,
): Generator<void> {
  const positions = new Map<string, number>();
  for (const [position, word] of words.entries()) {
    positions.set(word, position);
  }
  const byNumber = Uint32Array.from(unsorted, (word) => positions.get(word)!);
  yield;
  for (let i = 0; i < tokens.length; i++) {
    tokens[i] = byNumber[tokens[i]!]!;
    if (i % POSTINGS_A_STEP === POSTINGS_A_STEP - 1) yield;
  }
}

/** Which tracks each word occurs in, in order, a track once however often it has the word. */
function* invert(
  tokens: Uint32Array,
  tokenStarts: Uint32Array,
  size: number,
  words: number,
): Generator<void, { postings: Uint32Array; postingStarts: Uint32Array }> {
  const counts = new Uint32Array(words);
  /** For each word, the last track it was seen in, plus 1. */
  const lastSeen = new Uint32Array(words);
  const postingStarts = shared.uint32(words + 1);
  const eachOccurrence = function* (visit: (word: number, ordinal: number) => void) {
    lastSeen.fill(0);
    for (let ordinal = 0; ordinal < size; ordinal++) {
      for (let i = tokenStarts[ordinal]!; i < tokenStarts[ordinal + 1]!; i++) {
        const word = tokens[i]!;
        if (lastSeen[word] !== ordinal + 1) {
          lastSeen[word] = ordinal + 1;
          visit(word, ordinal);
        }
      }
      if (ordinal % 32_768 === 32_767) yield;
    }
  };
  yield* eachOccurrence((word) => {
    counts[word]!++;
  });
  for (let word = 0; word < words; word++) {
    postingStarts[word + 1] = postingStarts[word]! + counts[word]!;
  }
  const postings = shared.uint32(postingStarts[words]!);
  const next = postingStarts.slice();
  yield;
  yield* eachOccurrence((word, ordinal) => {
    postings[next[word]!++] = ordinal;
  });
  return { postings, postingStarts };
}

type Grams = Pick<
  DictionaryColumns,
  | 'gramKeys1'
  | 'gramKeys2'
  | 'gramKeys3'
  | 'gramStarts1'
  | 'gramStarts2'
  | 'gramStarts3'
  | 'gramWords1'
  | 'gramWords2'
  | 'gramWords3'
>;

function* buildGrams(words: readonly string[]): Generator<void, Grams> {
  const one = yield* gramsOf(words, 1);
  const two = yield* gramsOf(words, 2);
  const three = yield* gramsOf(words, LONGEST_GRAM);
  return {
    gramKeys1: one.keys,
    gramStarts1: one.starts,
    gramWords1: one.words,
    gramKeys2: two.keys,
    gramStarts2: two.starts,
    gramWords2: two.words,
    gramKeys3: three.keys,
    gramStarts3: three.starts,
    gramWords3: three.words,
  };
}

/** For each run of so many units, ascending by key, the words that have it, ascending. */
function* gramsOf(
  words: readonly string[],
  length: number,
): Generator<void, { keys: Uint32Array; starts: Uint32Array; words: Uint32Array }> {
  const slots = new Map<number, number>();
  /** For each slot, the last word it was seen in. */
  const lastWord: number[] = [];
  const pairSlots = new GrowingUint32();
  const pairWords = new GrowingUint32();
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    for (let i = 0; i + length <= word.length; i++) {
      const key = gramKey(word, i, length);
      let slot = slots.get(key);
      if (slot === undefined) {
        slot = slots.size;
        slots.set(key, slot);
        lastWord.push(-1);
      }
      if (lastWord[slot] !== at) {
        lastWord[slot] = at;
        pairSlots.push(slot);
        pairWords.push(at);
      }
    }
    if (at % WORDS_A_STEP === WORDS_A_STEP - 1) yield;
  }
  const keys = sharedUint32(Float64Array.from(slots.keys()).sort());
  const place = new Uint32Array(slots.size);
  for (let i = 0; i < keys.length; i++) {
    place[slots.get(keys[i]!)!] = i;
  }
  yield;
  const starts = shared.uint32(keys.length + 1);
  const pairs = pairSlots.view;
  for (let i = 0; i < pairs.length; i++) {
    starts[place[pairs[i]!]! + 1]!++;
  }
  for (let i = 0; i < keys.length; i++) {
    starts[i + 1]! += starts[i]!;
  }
  yield;
  const next = starts.slice();
  const sorted = shared.uint32(pairs.length);
  for (let i = 0; i < pairs.length; i++) {
    sorted[next[place[pairs[i]!]!]!++] = pairWords.at(i);
    if (i % POSTINGS_A_STEP === POSTINGS_A_STEP - 1) yield;
  }
  return { keys, starts, words: sorted };
}

interface Inverted {
  words: readonly string[];
  size: number;
  postings: Uint32Array;
  postingStarts: Uint32Array;
}

/**
 * The pieces and beginnings of up to three units that more than one track in 32 has, for which a
 * bitset is smaller than their postings, and by far quicker to go through.
 */
function* densePieces(
  inverted: Inverted,
): Generator<void, { pieces: string[]; beginnings: string[]; bits: Uint32Array }> {
  const { words, size, postings, postingStarts } = inverted;
  const piecesOf = new Map<string, number[]>();
  const beginningsOf = new Map<string, number[]>();
  const note = (lists: Map<string, number[]>, text: string, at: number) => {
    const list = lists.get(text);
    if (list === undefined) {
      lists.set(text, [at]);
    } else if (list[list.length - 1] !== at) {
      list.push(at);
    }
  };
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    for (let length = 1; length <= LONGEST_GRAM && length <= word.length; length++) {
      note(beginningsOf, word.slice(0, length), at);
      for (let i = 0; i + length <= word.length; i++) {
        note(piecesOf, word.slice(i, i + length), at);
      }
    }
    if (at % WORDS_A_STEP === WORDS_A_STEP - 1) yield;
  }
  const length = wordsFor(size);
  const bitsets: Uint32Array[] = [];
  const denseOf = function* (lists: Map<string, number[]>): Generator<void, string[]> {
    const dense: string[] = [];
    for (const [text, list] of lists) {
      let sum = 0;
      for (const at of list) sum += postingStarts[at + 1]! - postingStarts[at]!;
      if (sum <= size >>> 5) continue;
      const bits = new Uint32Array(length);
      let count = 0;
      for (const at of list) {
        for (let i = postingStarts[at]!; i < postingStarts[at + 1]!; i++) {
          const ordinal = postings[i]!;
          const mask = 1 << (ordinal & 31);
          if ((bits[ordinal >>> 5]! & mask) === 0) {
            bits[ordinal >>> 5]! |= mask;
            count++;
          }
        }
      }
      if (count > size >>> 5) {
        dense.push(text);
        bitsets.push(bits);
      }
      yield;
    }
    return dense;
  };
  const pieces = yield* denseOf(piecesOf);
  const beginnings = yield* denseOf(beginningsOf);
  const bits = shared.uint32(bitsets.length * length);
  for (const [slot, bitset] of bitsets.entries()) {
    bits.set(bitset, slot * length);
  }
  return { pieces, beginnings, bits };
}

import {
  type BitMemory,
  type DictionaryColumns,
  type DictionaryMeta,
  inverted,
  shared,
  sharedUint32,
} from '../segments/columns.ts';
import { densePieces, type GramColumns, markTracks } from '../sets/dense-pieces.ts';
import { buildTypoColumns, noTypoColumns } from '../text/typos.ts';
import { gramKey, MAX_GRAM_LENGTH, WordList, wordColumns } from '../text/word-list.ts';
import { GrowingUint32 } from './growing.ts';

const WORDS_PER_STEP = 4_096;
const NUMBERS_PER_STEP = 200_000;

/**
 * By word, where parts of it meet. Pieces that lie inside one part are not indexed, unless it is a single letter: they are
 * found elsewhere. All pieces of a word of one part are indexed, and none of other words.
 */
export type Cuts = ReadonlyMap<string, ReadonlySet<number>>;

export interface DictionaryInput {
  /** The distinct words by number, in any order. */
  texts: readonly string[];
  size: number;
  /** The numbers of the words of each track, by ordinal. They are replaced by positions in the dictionary. */
  tokens: Uint32Array;
  tokenStarts: Uint32Array;
  /** Where the words of each track begin that get postings. By default, all do. */
  postedStarts?: Uint32Array | undefined;
  /** Where dense pieces get bitsets, which is worthwhile only for many tracks. By default they get none. */
  memory?: BitMemory | undefined;
  /** By default, all pieces of words are indexed. */
  cuts?: Cuts | undefined;
  /** Whether words can be found with typos (the default), which takes memory. */
  withTypos?: boolean;
}

/**
 * Sorts the words, replaces their numbers by positions, makes the postings, and finds the dense pieces. Works
 * in steps of a few milliseconds.
 */
export function* buildDictionary(
  input: DictionaryInput,
): Generator<void, { columns: DictionaryColumns; meta: DictionaryMeta }> {
  const { size, tokens, tokenStarts } = input;
  const words = input.texts.toSorted();
  yield;
  yield* renumber(input.texts, words, tokens);
  const { units, starts } = wordColumns(words);
  yield;
  const { owners: postings, ownerStarts: postingStarts } = yield* inverted(
    tokens,
    tokenStarts,
    words.length,
    input.postedStarts,
  );
  const grams = yield* buildGrams(words, input.cuts);
  const typos =
    input.withTypos === false
      ? noTypoColumns()
      : yield* buildTypoColumns(new WordList(units, starts));
  const { memory } = input;
  const dense = memory
    ? yield* densePieces({
        words,
        grams,
        size,
        memory,
        count: (word) => postingStarts[word + 1]! - postingStarts[word]!,
        mark: (word, bits) =>
          markTracks(postings, postingStarts[word]!, postingStarts[word + 1]!, bits),
      })
    : { pieceBits: shared.uint32(0), meta: { densePieces: [], denseBeginnings: [] } };
  const { pieceBits, meta } = dense;
  return {
    columns: { units, starts, postings, postingStarts, ...grams, ...typos, pieceBits },
    meta,
  };
}

/** Replaces the number of each word by its position in the sorted dictionary. */
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
  yield* replaceAll(tokens, byNumber);
}

/** Replaces each number by its replacement. */
function* replaceAll(numbers: Uint32Array, replacements: Uint32Array): Generator<void> {
  for (let i = 0; i < numbers.length; i++) {
    numbers[i] = replacements[numbers[i]!]!;
    if (i % NUMBERS_PER_STEP === NUMBERS_PER_STEP - 1) yield;
  }
}

function* buildGrams(words: readonly string[], cuts?: Cuts): Generator<void, GramColumns> {
  const one = yield* gramsOf(words, 1, cuts);
  const two = yield* gramsOf(words, 2, cuts);
  const three = yield* gramsOf(words, MAX_GRAM_LENGTH, cuts);
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

const NO_CUTS: ReadonlySet<number> = new Set();

/** Whether a piece of a word is inside one of its parts, and not a part of one letter. */
function isInsidePart(
  cuts: ReadonlySet<number>,
  from: number,
  to: number,
  length: number,
): boolean {
  for (let at = from + 1; at < to; at++) if (cuts.has(at)) return false;
  const isPart = (from === 0 || cuts.has(from)) && (to === length || cuts.has(to));
  return to > from + 1 || !isPart;
}

/**
 * Finds the pieces of the given length, ascending by key, and for each of them the words that contain it,
 * ascending.
 */
function* gramsOf(
  words: readonly string[],
  length: number,
  cuts?: Cuts,
): Generator<void, { keys: Uint32Array; starts: Uint32Array; words: Uint32Array }> {
  const slots = new Map<number, number>();
  /** The slots of the pieces of each word. */
  const found = new GrowingUint32();
  const foundStarts = new Uint32Array(words.length + 1);
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const cutsOfWord = cuts === undefined ? NO_CUTS : cuts.get(word);
    for (let i = 0; cutsOfWord !== undefined && i + length <= word.length; i++) {
      if (cutsOfWord.size > 0 && isInsidePart(cutsOfWord, i, i + length, word.length)) continue;
      const key = gramKey(word, i, length);
      let slot = slots.get(key);
      if (slot === undefined) {
        slot = slots.size;
        slots.set(key, slot);
      }
      found.push(slot);
    }
    foundStarts[at + 1] = found.length;
    if (at % WORDS_PER_STEP === WORDS_PER_STEP - 1) yield;
  }
  const keys = sharedUint32(Float64Array.from(slots.keys()).sort());
  const places = new Uint32Array(slots.size);
  for (let i = 0; i < keys.length; i++) {
    places[slots.get(keys[i]!)!] = i;
  }
  yield;
  yield* replaceAll(found.view, places);
  const { owners, ownerStarts } = yield* inverted(found.view, foundStarts, keys.length);
  return { keys, starts: ownerStarts, words: owners };
}

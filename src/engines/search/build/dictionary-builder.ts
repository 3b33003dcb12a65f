import {
  type BitMemory,
  type DictionaryColumns,
  type DictionaryMeta,
  shared,
  sharedUint32,
} from '../segments/columns.ts';
import { densePieces, type GramColumns, markTracks } from '../sets/dense-pieces.ts';
import { buildTypoColumns, noTypoColumns } from '../text/typos.ts';
import { gramKey, MAX_GRAM_LENGTH, WordList, wordColumns } from '../text/word-list.ts';
import { GrowingUint32 } from './growing.ts';

const WORDS_PER_STEP = 4_096;
const POSTINGS_PER_STEP = 200_000;
const TRACKS_PER_STEP = 32_768;

export interface DictionaryInput {
  /** The distinct words by number, in any order. */
  texts: readonly string[];
  size: number;
  /** The numbers of the words of each track, by ordinal. They are replaced by positions in the dictionary. */
  tokens: Uint32Array;
  tokenStarts: Uint32Array;
  /** Where dense pieces get bitsets, which is worthwhile only for many tracks. By default they get none. */
  memory?: BitMemory | undefined;
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
  const { postings, postingStarts } = yield* invert(tokens, tokenStarts, size, words.length);
  const grams = yield* buildGrams(words);
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
  for (let i = 0; i < tokens.length; i++) {
    tokens[i] = byNumber[tokens[i]!]!;
    if (i % POSTINGS_PER_STEP === POSTINGS_PER_STEP - 1) yield;
  }
}

/** Makes the postings: the tracks of each word, ascending and without repetitions. */
function* invert(
  tokens: Uint32Array,
  tokenStarts: Uint32Array,
  size: number,
  words: number,
): Generator<void, { postings: Uint32Array; postingStarts: Uint32Array }> {
  /** For each word, the ordinal of the last track that has it, plus 1. */
  const lastSeen = new Uint32Array(words);
  const postingStarts = shared.uint32(words + 1);
  for (let ordinal = 0; ordinal < size; ordinal++) {
    for (let i = tokenStarts[ordinal]!; i < tokenStarts[ordinal + 1]!; i++) {
      const word = tokens[i]!;
      if (lastSeen[word] === ordinal + 1) continue;
      lastSeen[word] = ordinal + 1;
      postingStarts[word + 1]!++;
    }
    if (ordinal % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
  }
  for (let word = 0; word < words; word++) {
    postingStarts[word + 1]! += postingStarts[word]!;
  }
  const postings = shared.uint32(postingStarts[words]!);
  const next = postingStarts.slice();
  lastSeen.fill(0);
  yield;
  for (let ordinal = 0; ordinal < size; ordinal++) {
    for (let i = tokenStarts[ordinal]!; i < tokenStarts[ordinal + 1]!; i++) {
      const word = tokens[i]!;
      if (lastSeen[word] === ordinal + 1) continue;
      lastSeen[word] = ordinal + 1;
      postings[next[word]!++] = ordinal;
    }
    if (ordinal % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
  }
  return { postings, postingStarts };
}

function* buildGrams(words: readonly string[]): Generator<void, GramColumns> {
  const one = yield* gramsOf(words, 1);
  const two = yield* gramsOf(words, 2);
  const three = yield* gramsOf(words, MAX_GRAM_LENGTH);
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

/**
 * Finds the pieces of the given length, ascending by key, and for each of them the words that contain it,
 * ascending.
 */
function* gramsOf(
  words: readonly string[],
  length: number,
): Generator<void, { keys: Uint32Array; starts: Uint32Array; words: Uint32Array }> {
  const slots = new Map<number, number>();
  /** For each slot, the last word that has the piece. */
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
    if (at % WORDS_PER_STEP === WORDS_PER_STEP - 1) yield;
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
    if (i % POSTINGS_PER_STEP === POSTINGS_PER_STEP - 1) yield;
  }
  return { keys, starts, words: sorted };
}

import type { BitMemory, DictionaryColumns, DictionaryMeta } from '../segments/columns.ts';
import { gramKey, MAX_GRAM_LENGTH } from '../text/word-list.ts';
import { bitsIn } from './bit-kernel.ts';
import { ones, wordsFor } from './bits.ts';

const WORDS_PER_STEP = 4_096;

/** Sorted words and the tracks that each word occurs in. */
export interface WordTracks {
  words: readonly string[];
  grams: GramColumns;
  size: number;
  memory: BitMemory;
  /** The sum of the lengths of a word's lists, which is at least its number of tracks. */
  count(word: number): number;
  mark(word: number, bits: Uint32Array): void;
}

export type GramColumns = Pick<DictionaryColumns, `gram${'Keys' | 'Starts' | 'Words'}${1 | 2 | 3}`>;

interface Piece {
  text: string;
  words: ArrayLike<number>;
}

/**
 * Finds the pieces and prefixes of one to three units that more than one track in 32 has. For these, a bitset
 * is smaller than the postings, and much faster to process. Works in steps of a few milliseconds.
 */
export function* densePieces(
  given: WordTracks,
): Generator<void, { pieceBits: Uint32Array; meta: DictionaryMeta }> {
  const { size, memory, mark } = given;
  const counts = yield* countsOf(given);
  const length = wordsFor(size);
  const bitsets: Uint32Array[] = [];
  const bits = new Uint32Array(length);
  const denseOf = function* (pieces: Iterable<Piece>): Generator<void, string[]> {
    const dense: string[] = [];
    for (const { text, words } of pieces) {
      bits.fill(0);
      for (let i = 0; i < words.length; i++) mark(words[i]!, bits);
      if (onesIn(bits) > size >>> 5) {
        dense.push(text);
        bitsets.push(bits.slice());
      }
      yield;
    }
    return dense;
  };
  const pieces = yield* denseOf(frequentPieces(given, counts));
  const beginnings = yield* denseOf(frequentBeginnings(given, counts));
  const pieceBits = bitsIn(memory, bitsets.length * length);
  for (const [slot, bitset] of bitsets.entries()) {
    pieceBits.set(bitset, slot * length);
  }
  return { pieceBits, meta: { densePieces: pieces, denseBeginnings: beginnings } };
}

function* countsOf({ words, count }: WordTracks): Generator<void, Uint32Array> {
  const counts = new Uint32Array(words.length);
  for (let word = 0; word < words.length; word++) {
    counts[word] = count(word);
    if (word % WORDS_PER_STEP === WORDS_PER_STEP - 1) yield;
  }
  return counts;
}

/** The pieces that may be dense: the lists of their words have enough tracks together. */
function* frequentPieces({ words, grams, size }: WordTracks, counts: Uint32Array): Iterable<Piece> {
  for (const length of [1, 2, MAX_GRAM_LENGTH] as const) {
    const keys = grams[`gramKeys${length}`];
    const starts = grams[`gramStarts${length}`];
    for (let i = 0; i < keys.length; i++) {
      const members = grams[`gramWords${length}`].subarray(starts[i], starts[i + 1]);
      let sum = 0;
      for (let j = 0; j < members.length; j++) sum += counts[members[j]!]!;
      if (sum > size >>> 5) yield* piecesOfKey(words, members, length, keys[i]!);
    }
  }
}

/** Several pieces may have one key. */
function* piecesOfKey(
  words: readonly string[],
  members: Uint32Array,
  length: number,
  key: number,
): Iterable<Piece> {
  const found = new Map<string, Set<number>>();
  for (const at of members) {
    const word = words[at]!;
    for (let i = 0; i + length <= word.length; i++) {
      if (gramKey(word, i, length) !== key) continue;
      const text = word.slice(i, i + length);
      if (!found.has(text)) found.set(text, new Set());
      found.get(text)!.add(at);
      // Only pieces of the greatest length may share a key.
      if (length < MAX_GRAM_LENGTH) return yield { text, words: members };
    }
  }
  for (const [text, at] of found) yield { text, words: [...at] };
}

/** The beginnings that may be dense. The words with a beginning are a range, because words are sorted. */
function* frequentBeginnings({ words, size }: WordTracks, counts: Uint32Array): Iterable<Piece> {
  for (let length = 1; length <= MAX_GRAM_LENGTH; length++) {
    for (let from = 0, to = 0; from < words.length; from = to) {
      const text = words[from]!.slice(0, length);
      let sum = 0;
      for (to = from; to < words.length && words[to]!.startsWith(text); to++) sum += counts[to]!;
      const isLong = text.length === length;
      if (isLong && sum > size >>> 5) {
        yield { text, words: Array.from({ length: to - from }, (_, i) => from + i) };
      }
      if (!isLong) to = from + 1;
    }
  }
}

export function markTracks(tracks: Uint32Array, from: number, to: number, bits: Uint32Array): void {
  for (let i = from; i < to; i++) bits[tracks[i]! >>> 5]! |= 1 << (tracks[i]! & 31);
}

function onesIn(bits: Uint32Array): number {
  let count = 0;
  for (let i = 0; i < bits.length; i++) count += ones(bits[i]!);
  return count;
}

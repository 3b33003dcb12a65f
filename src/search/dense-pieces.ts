import { bitsIn } from './bit-memory.ts';
import { ones, wordsFor } from './bits.ts';
import type { DictionaryMeta } from './columns.ts';
import { LONGEST_GRAM } from './grams.ts';
import type { BitMemory } from './web-assembly.ts';

const WORDS_A_STEP = 4_096;

/** Sorted words and the tracks that each word occurs in. */
export interface WordTracks {
  words: readonly string[];
  /** The number of tracks of the segment. */
  size: number;
  /** Where the bitsets are placed. */
  memory: BitMemory;
  /** The sum of the lengths of a word's lists, which is at least its number of tracks. */
  count(word: number): number;
  /** Calls back with the lists that together hold the tracks of a word. A track may be in several lists. */
  each(word: number, visit: (tracks: Uint32Array) => void): void;
}

/**
 * Finds the pieces and prefixes of one to three units that more than one track in 32 has. For these, a bitset
 * is smaller than the postings, and much faster to process. Works in steps of a few milliseconds.
 */
export function* densePieces({
  words,
  size,
  memory,
  count,
  each,
}: WordTracks): Generator<void, { pieceBits: Uint32Array; meta: DictionaryMeta }> {
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
  const bits = new Uint32Array(length);
  const denseOf = function* (lists: Map<string, number[]>): Generator<void, string[]> {
    const dense: string[] = [];
    for (const [text, list] of lists) {
      let sum = 0;
      for (const at of list) sum += count(at);
      if (sum <= size >>> 5) continue;
      bits.fill(0);
      for (const at of list) each(at, (tracks) => addTo(bits, tracks));
      if (onesIn(bits) > size >>> 5) {
        dense.push(text);
        bitsets.push(bits.slice());
      }
      yield;
    }
    return dense;
  };
  const pieces = yield* denseOf(piecesOf);
  const beginnings = yield* denseOf(beginningsOf);
  const pieceBits = bitsIn(memory, bitsets.length * length);
  for (const [slot, bitset] of bitsets.entries()) {
    pieceBits.set(bitset, slot * length);
  }
  return { pieceBits, meta: { densePieces: pieces, denseBeginnings: beginnings } };
}

/** Sets the bits of the tracks. */
function addTo(bits: Uint32Array, tracks: Uint32Array): void {
  for (let i = 0; i < tracks.length; i++) {
    bits[tracks[i]! >>> 5]! |= 1 << (tracks[i]! & 31);
  }
}

function onesIn(bits: Uint32Array): number {
  let count = 0;
  for (let i = 0; i < bits.length; i++) count += ones(bits[i]!);
  return count;
}

import { GrowingUint32 } from '../build/growing.ts';
import {
  type DictionaryColumns,
  inverted,
  type NameColumns,
  shared,
  type WordCountColumns,
} from '../segments/columns.ts';
import { eachCommon, hasBit, ones, wordsFor } from '../sets/bits.ts';
import { KINDS, KindLabels } from '../sets/label-counts.ts';
import type { TrackLabels } from '../sets/labels.ts';
import type { TrackSet } from '../sets/track-set.ts';
import type { TextPostings } from './dictionary.ts';
import { MAX_GRAM_LENGTH, WordList } from './word-list.ts';

interface NamesAndPieces {
  names: NameColumns;
  pieces: readonly Uint32Array[];
}

/**
 * The numbers of tracks whose names have a word or a dense piece. A piece of three units or more is in some
 * words of the dictionary, and a track that has one of these words counts once for each of them. If it has
 * two, the two words are similar: they share a piece of three units. Such tracks are stored for each word
 * (`similar`), so that only they are read to subtract what was counted twice.
 */
export class WordCounts {
  readonly #columns: WordCountColumns;
  readonly #kindLabels: KindLabels;
  readonly #labels: TrackLabels;
  readonly #names: NamesAndPieces;

  /** The columns belong to this object from now on, and it changes the counts. */
  constructor(
    columns: WordCountColumns,
    kindLabels: KindLabels,
    labels: TrackLabels,
    names: NamesAndPieces,
  ) {
    this.#columns = columns;
    this.#kindLabels = kindLabels;
    this.#labels = labels;
    this.#names = names;
  }

  /** Whether there are counts. A small segment has none. */
  get areKnown(): boolean {
    return this.#columns.wordKinds.length > 0;
  }

  remove(ordinal: number): void {
    if (!this.areKnown) return;
    const { wordKinds, pieceKinds } = this.#columns;
    const { labels, labelStarts } = this.#labels;
    const { tokens, tokenStarts } = this.#names.names;
    const kind = this.#kindLabels.kindOf(labels, labelStarts[ordinal]!, labelStarts[ordinal + 1]!);
    const words = tokens.subarray(tokenStarts[ordinal], tokenStarts[ordinal + 1]);
    for (const word of new Set(words)) wordKinds[word * KINDS + kind]!--;
    for (const [slot, bits] of this.#names.pieces.entries()) {
      if (hasBit(bits, ordinal)) pieceKinds[slot * KINDS + kind]!--;
    }
  }

  /**
   * The number of tracks of some kinds that a piece of three units or more occurs in, or a dense piece.
   * @param found what the dictionary finds for the piece
   * @param isWanted whether a track is live and of these kinds
   * @param scratch an empty set, which is not empty afterwards
   */
  countOf(
    found: TextPostings,
    kinds: readonly number[],
    isWanted: (ordinal: number) => boolean,
    scratch: TrackSet,
  ): number {
    const { wordKinds, pieceKinds } = this.#columns;
    let count = 0;
    if (found.kind === 'bits') {
      for (const kind of kinds) count += pieceKinds[found.slot * KINDS + kind]!;
      return count;
    }
    const { words } = found;
    for (let i = 0; i < words.length; i++) {
      for (const kind of kinds) count += wordKinds[words[i]! * KINDS + kind]!;
    }
    return count - this.#countedAgain(words, isWanted, scratch);
  }

  /** How often wanted tracks are counted again because they have several of the words. */
  #countedAgain(
    words: ArrayLike<number>,
    isWanted: (ordinal: number) => boolean,
    scratch: TrackSet,
  ): number {
    const { similar, similarStarts } = this.#columns;
    let longest = 0;
    for (let i = 1; i < words.length; i++) {
      if (lengthAt(similarStarts, words[i]!) > lengthAt(similarStarts, words[longest]!))
        longest = i;
    }
    let again = 0;
    for (let i = 0; i < words.length; i++) {
      if (i === longest) continue;
      const end = similarStarts[words[i]! + 1]!;
      for (let j = similarStarts[words[i]!]!; j < end; j++) {
        const ordinal = similar[j]!;
        if (!scratch.has(ordinal)) scratch.add(ordinal);
        else if (isWanted(ordinal)) again++;
      }
    }
    // The longest list need not be read if the others are short.
    if (scratch.count > 0) {
      const [from, to] = [similarStarts[words[longest]!]!, similarStarts[words[longest]! + 1]!];
      eachCommon(similar.subarray(from, to), scratch, (ordinal) => {
        if (isWanted(ordinal)) again++;
      });
    }
    return again;
  }
}

function lengthAt(starts: Uint32Array, at: number): number {
  return starts[at + 1]! - starts[at]!;
}

export function noWordCounts(): WordCountColumns {
  return {
    wordKinds: shared.uint32(0),
    pieceKinds: shared.uint32(0),
    similar: shared.uint32(0),
    similarStarts: shared.uint32(0),
    firstNames: shared.uint32(0),
  };
}

const TRACKS_PER_STEP = 4_096;

interface WordCountInput {
  size: number;
  names: NameColumns;
  words: DictionaryColumns;
  labels: TrackLabels;
  labelNames: readonly string[];
}

/** Counts the tracks of each word and of each dense piece, in steps of a few milliseconds. */
export function* countWords(input: WordCountInput): Generator<void, WordCountColumns> {
  const { size, names } = input;
  const words = new WordList(input.words.units, input.words.starts);
  const kinds = yield* kindsOf(input);
  const wordKinds = shared.uint32(words.length * KINDS);
  const similarWords = new SimilarWords(words);
  const found = new GrowingUint32();
  const foundStarts = new Uint32Array(size + 1);
  for (let ordinal = 0; ordinal < size; ordinal++) {
    const distinct = distinctWords(names, ordinal);
    for (let i = 0; i < distinct.length; i++) {
      const word = distinct[i]!;
      wordKinds[word * KINDS + kinds[ordinal]!]!++;
      if (similarWords.isAmong(distinct, i)) found.push(word);
    }
    foundStarts[ordinal + 1] = found.length;
    if (ordinal % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
  }
  const { owners: similar, ownerStarts: similarStarts } = yield* inverted(
    found.view,
    foundStarts,
    words.length,
  );
  const pieceKinds = yield* countPieces(input, kinds);
  const firstNames = yield* countFirstWords(names, words.length);
  return { wordKinds, pieceKinds, similar, similarStarts, firstNames };
}

function* kindsOf({ size, labels, labelNames }: WordCountInput): Generator<void, Uint8Array> {
  const numbers = new Map(labelNames.map((name, label) => [name, label]));
  const kindLabels = new KindLabels((name) => numbers.get(name));
  const kinds = new Uint8Array(size);
  const { labelStarts } = labels;
  for (let ordinal = 0; ordinal < size; ordinal++) {
    const [from, to] = [labelStarts[ordinal]!, labelStarts[ordinal + 1]!];
    kinds[ordinal] = kindLabels.kindOf(labels.labels, from, to);
    if (ordinal % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
  }
  return kinds;
}

/** By slot and kind: the number of tracks of the kind in the bitset of the slot. */
function* countPieces(
  { size, words: { pieceBits } }: WordCountInput,
  kinds: Uint8Array,
): Generator<void, Uint32Array> {
  const length = wordsFor(size);
  const ofKind = Array.from({ length: KINDS }, () => new Uint32Array(length));
  for (let ordinal = 0; ordinal < size; ordinal++) {
    ofKind[kinds[ordinal]!]![ordinal >>> 5]! |= 1 << (ordinal & 31);
  }
  yield;
  const pieceKinds = shared.uint32((pieceBits.length / length) * KINDS);
  for (let i = 0; i < pieceKinds.length; i++) {
    const first = Math.floor(i / KINDS) * length;
    const bits = ofKind[i % KINDS]!;
    let count = 0;
    for (let word = 0; word < length; word++) count += ones(pieceBits[first + word]! & bits[word]!);
    pieceKinds[i] = count;
    yield;
  }
  return pieceKinds;
}

/** For each word, the number of names whose glued form begins with an earlier word. */
function* countFirstWords(
  { tokens, tokenStarts, splitStarts }: NameColumns,
  words: number,
): Generator<void, Uint32Array> {
  const firstNames = shared.uint32(words + 1);
  for (let name = 0; name < splitStarts.length; name++) {
    const start = tokenStarts[name]!;
    if (start < splitStarts[name]!) firstNames[tokens[start]! + 1]!++;
    if (name % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
  }
  for (let word = 0; word < words; word++) firstNames[word + 1]! += firstNames[word]!;
  return firstNames;
}

function distinctWords({ tokens, tokenStarts }: NameColumns, ordinal: number): number[] {
  const words: number[] = [];
  const end = tokenStarts[ordinal + 1]!;
  for (let i = tokenStarts[ordinal]!; i < end; i++) {
    const word = tokens[i]!;
    if (!words.includes(word)) words.push(word);
  }
  return words;
}

class SimilarWords {
  readonly #words: WordList;
  /** For each word, a mask of the hashes of its pieces. Words whose masks have no common bit share no piece. */
  readonly #masks: Uint32Array;

  constructor(words: WordList) {
    this.#words = words;
    this.#masks = Uint32Array.from({ length: words.length }, (_, at) => this.#maskOf(at));
  }

  /** Whether word `i` of a list of different words shares a piece with another of them. */
  isAmong(words: readonly number[], i: number): boolean {
    const mask = this.#masks[words[i]!]!;
    for (let j = 0; j < words.length; j++) {
      const isPossible = j !== i && (mask & this.#masks[words[j]!]!) !== 0;
      if (isPossible && this.#are(words[i]!, words[j]!)) return true;
    }
    return false;
  }

  #are(one: number, other: number): boolean {
    const ends = this.#words.lengthOf(one) - MAX_GRAM_LENGTH;
    const otherEnds = this.#words.lengthOf(other) - MAX_GRAM_LENGTH;
    for (let i = 0; i <= ends; i++) {
      for (let j = 0; j <= otherEnds; j++) {
        if (this.#haveSamePiece(one, i, other, j)) return true;
      }
    }
    return false;
  }

  #haveSamePiece(one: number, from: number, other: number, otherFrom: number): boolean {
    for (let i = 0; i < MAX_GRAM_LENGTH; i++) {
      if (this.#words.unit(one, from + i) !== this.#words.unit(other, otherFrom + i)) return false;
    }
    return true;
  }

  #maskOf(at: number): number {
    let mask = 0;
    for (let i = 0; i + MAX_GRAM_LENGTH <= this.#words.lengthOf(at); i++) {
      let hash = 0;
      for (let j = 0; j < MAX_GRAM_LENGTH; j++) {
        hash = Math.imul(hash ^ this.#words.unit(at, i + j), 0x9e37_79b1);
      }
      mask |= 1 << (hash >>> 27);
    }
    return mask;
  }
}

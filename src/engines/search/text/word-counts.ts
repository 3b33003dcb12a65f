import { type NameColumns, shared, type WordCountColumns } from '../segments/columns.ts';
import type { TrackLabels } from '../sets/label-lists.ts';
import { KINDS, type KindLabels } from '../sets/label-pairs.ts';
import { eachCommon } from '../sets/long-lists.ts';
import type { TrackSet } from '../sets/track-set.ts';
import type { TextPostings } from './dictionary.ts';

/** The names of the tracks, and the bitsets of the dense pieces of their words. */
interface NamesAndPieces {
  names: NameColumns;
  /** The bitsets by slot. */
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

  /** Removes a track from the counts. */
  remove(ordinal: number): void {
    if (!this.areKnown) return;
    const { wordKinds, pieceKinds } = this.#columns;
    const { labels, labelStarts } = this.#labels;
    const { tokens, tokenStarts } = this.#names.names;
    const kind = this.#kindLabels.kindOf(labels, labelStarts[ordinal]!, labelStarts[ordinal + 1]!);
    const words = tokens.subarray(tokenStarts[ordinal], tokenStarts[ordinal + 1]);
    for (const word of new Set(words)) wordKinds[word * KINDS + kind]!--;
    for (const [slot, bits] of this.#names.pieces.entries()) {
      if (has(bits, ordinal)) pieceKinds[slot * KINDS + kind]!--;
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

  /** How many times wanted tracks are counted again because they have more than one of the words. */
  #countedAgain(
    words: ArrayLike<number>,
    isWanted: (ordinal: number) => boolean,
    scratch: TrackSet,
  ): number {
    const { similar, similarStarts } = this.#columns;
    const lists: Uint32Array[] = [];
    for (let i = 0; i < words.length; i++) {
      const [from, to] = [similarStarts[words[i]!]!, similarStarts[words[i]! + 1]!];
      if (from < to) lists.push(similar.subarray(from, to));
    }
    lists.sort((a, b) => a.length - b.length);
    let again = 0;
    for (const [i, list] of lists.entries()) {
      eachCommon(list, scratch, (ordinal) => {
        if (isWanted(ordinal)) again++;
      });
      if (i < lists.length - 1) scratch.addAll(list);
    }
    return again;
  }
}

function has(bits: Uint32Array, ordinal: number): boolean {
  return (bits[ordinal >>> 5]! & (1 << (ordinal & 31))) !== 0;
}

/** Empty columns, for small segments. */
export function noWordCounts(): WordCountColumns {
  return {
    wordKinds: shared.uint32(0),
    pieceKinds: shared.uint32(0),
    similar: shared.uint32(0),
    similarStarts: shared.uint32(0),
    firstNames: shared.uint32(0),
  };
}

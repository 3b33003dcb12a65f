import { isKey } from '../../../common/text/forms/sounds.ts';
import type { DictionaryColumns, DictionaryMeta } from '../segments/columns.ts';
import { partitionPoint } from '../sets/bits.ts';
import { TypoIndex, WantedWord } from './typos.ts';
import { gramKey, MAX_GRAM_LENGTH, WordList } from './word-list.ts';

/**
 * The tracks whose names contain a piece of text: as a bitset if they are many, otherwise as words of the
 * dictionary whose postings together are these tracks.
 */
export type TextPostings =
  | {
      kind: 'bits';
      bits: Uint32Array;
      /** The place of the bitset among those of the dictionary. */
      slot: number;
    }
  | {
      kind: 'words';
      /** Positions in the dictionary, without repetitions, in any order. */
      words: ArrayLike<number>;
      /** The sum of the numbers of postings of the words, which is at least the number of tracks. */
      postings: number;
    };

/**
 * The words that occur in names, by position, and the tracks that each word occurs in. In the dictionary of a
 * value field, the postings of a word are values, while bitsets hold tracks. Immutable.
 */
export class Dictionary {
  readonly words: WordList;
  readonly #columns: DictionaryColumns;
  /** The words with each piece of one, two and three units, by the key of the piece. */
  readonly #grams: readonly { keys: ArrayLike<number>; starts: Uint32Array; words: Uint32Array }[];
  readonly #hasAllPieces: boolean;
  readonly #typos: TypoIndex;
  /** The bitsets of the dense pieces, by slot. */
  readonly bitsets: readonly Uint32Array[];
  readonly #pieces: ReadonlyMap<string, number>;
  readonly #beginnings: ReadonlyMap<string, number>;
  /** Pieces of three units whose key no other piece has, as far as they were searched. */
  readonly #exact = new Set<string>();
  /** The last pieces that were searched, in a ring. One query needs the words of the same few pieces several times. */
  readonly #recent: { piece: string; words: ArrayLike<number> }[] = [];
  #nextRecent = 0;

  /**
   * @param bitsLength the length of a bitset over the segment's tracks, in 32-bit words
   * @param hasAllPieces whether all pieces of the words are indexed, not only those that are across their parts
   */
  constructor(
    columns: DictionaryColumns,
    meta: DictionaryMeta,
    bitsLength: number,
    hasAllPieces = true,
  ) {
    this.#columns = columns;
    this.#hasAllPieces = hasAllPieces;
    this.words = new WordList(columns.units, columns.starts);
    const { gramKeys1, gramKeys2, gramKeys3 } = columns;
    this.#grams = [
      { keys: gramKeys1, starts: columns.gramStarts1, words: columns.gramWords1 },
      { keys: gramKeys2, starts: columns.gramStarts2, words: columns.gramWords2 },
      { keys: gramKeys3, starts: columns.gramStarts3, words: columns.gramWords3 },
    ];
    this.#typos = new TypoIndex(this.words, columns);
    const { densePieces, denseBeginnings } = meta;
    this.bitsets = [...densePieces, ...denseBeginnings].map((_, slot) =>
      columns.pieceBits.subarray(slot * bitsLength, (slot + 1) * bitsLength),
    );
    this.#pieces = new Map(densePieces.map((text, i) => [text, i]));
    this.#beginnings = new Map(denseBeginnings.map((text, i) => [text, densePieces.length + i]));
  }

  beginning(text: string): TextPostings {
    const slot = this.#beginnings.get(text);
    if (slot !== undefined) return this.#ofSlot(slot);
    const [from, to] = this.words.rangeOf(text);
    const words = Array.from({ length: to - from }, (_, i) => from + i);
    const { postingStarts } = this.#columns;
    return { kind: 'words', words, postings: postingStarts[to]! - postingStarts[from]! };
  }

  whole(word: string): TextPostings {
    const at = this.words.positionOf(word);
    return this.#ofWords(at === undefined ? [] : [at]);
  }

  containing(piece: string): TextPostings {
    const slot = this.#pieces.get(piece);
    return slot === undefined ? this.#ofWords(this.#wordsContaining(piece)) : this.#ofSlot(slot);
  }

  /** Whether there is the word, or one that contains it. */
  has(word: string, isWhole: boolean): boolean {
    if (isWhole) return this.words.positionOf(word) !== undefined;
    return this.#pieces.has(word) || this.#wordsContaining(word).length > 0;
  }

  /**
   * The tracks with a word that contains the word or is at most `typos` typos away from it.
   * @param typos at most what `typosForgiven` gives for the word
   */
  containingOrNear(word: string, typos: number): TextPostings {
    if (typos === 0) {
      return this.containing(word);
    }
    const near = this.#typos.near(new WantedWord(word, typos));
    return this.#ofWords([...new Set([...Array.from(this.#wordsContaining(word)), ...near])]);
  }

  /**
   * The same as `containingOrNear`, but considers only the given words. It is faster if they are few.
   * @param among positions in the dictionary, without repetitions
   */
  containingOrNearAmong(word: string, typos: number, among: readonly number[]): TextPostings {
    const wanted = new WantedWord(word, typos);
    return this.#ofWords(
      among.filter((at) => wanted.isNear(this.words, at) || this.words.includes(at, word)),
    );
  }

  /** The tracks in which word `at` occurs, ascending and without repetitions. */
  postings(at: number): Uint32Array {
    const { postings, postingStarts } = this.#columns;
    return postings.subarray(postingStarts[at], postingStarts[at + 1]);
  }

  #ofSlot(slot: number): TextPostings {
    return { kind: 'bits', bits: this.bitsets[slot]!, slot };
  }

  #ofWords(words: ArrayLike<number>): TextPostings {
    const { postingStarts } = this.#columns;
    let postings = 0;
    for (let i = 0; i < words.length; i++) {
      postings += postingStarts[words[i]! + 1]! - postingStarts[words[i]!]!;
    }
    return { kind: 'words', words, postings };
  }

  #wordsContaining(piece: string): ArrayLike<number> {
    for (const recent of this.#recent) if (recent.piece === piece) return recent.words;
    const words = this.#findContaining(piece);
    this.#recent[this.#nextRecent] = { piece, words };
    this.#nextRecent = (this.#nextRecent + 1) % RECENT_PIECES;
    return words;
  }

  #findContaining(piece: string): ArrayLike<number> {
    const length = Math.min(piece.length, MAX_GRAM_LENGTH);
    const areAllIndexed = this.#hasAllPieces || isKey(piece);
    const lists: Uint32Array[] = [];
    for (let i = 0; i + length <= piece.length; i++) {
      const list = this.#wordsWithGram(piece, i, length);
      if (list.length > 0) lists.push(list);
      else if (areAllIndexed) return list;
    }
    if (!areAllIndexed) return this.#inAny(lists, piece);
    lists.sort((a, b) => a.length - b.length);
    const [rarest, next] = lists as [Uint32Array, Uint32Array | undefined];
    if (length < MAX_GRAM_LENGTH || this.#exact.has(piece)) return rarest;
    const isNextShort = next !== undefined && next.length < rarest.length * WORDS_A_COMPARISON;
    const candidates = isNextShort ? common(rarest, next) : rarest;
    const words = candidates.filter((at) => this.words.includes(at, piece));
    if (piece.length === MAX_GRAM_LENGTH && words.length === rarest.length) this.#exact.add(piece);
    return words;
  }

  /** The words of the lists that contain the piece. */
  #inAny(lists: readonly Uint32Array[], piece: string): ArrayLike<number> {
    const [only = NO_WORDS, ...others] = lists;
    if (piece.length < MAX_GRAM_LENGTH) return only;
    const words = new Set(only.filter((at) => this.words.includes(at, piece)));
    for (const list of others) {
      for (const at of list) if (this.words.includes(at, piece)) words.add(at);
    }
    return words.size === 0 ? NO_WORDS : [...words];
  }

  #wordsWithGram(text: string, at: number, length: number): Uint32Array {
    const { keys, starts, words } = this.#grams[length - 1]!;
    const key = gramKey(text, at, length);
    const place = partitionPoint(0, keys.length, (i) => keys[i]! < key);
    return keys[place] === key ? words.subarray(starts[place], starts[place + 1]) : NO_WORDS;
  }
}

const NO_WORDS = new Uint32Array();

/** The number of pieces whose words are kept. */
const RECENT_PIECES = 4;

/** The cost of comparing a word with a piece, in words of a list that are read in the same time. */
const WORDS_A_COMPARISON = 8;

/** The numbers that are in two ascending lists, of which the first is the shorter one. */
function common(shorter: Uint32Array, longer: Uint32Array): Uint32Array {
  const both = new Uint32Array(shorter.length);
  let length = 0;
  let at = 0;
  for (let i = 0; i < shorter.length; i++) {
    const number = shorter[i]!;
    while (at < longer.length && longer[at]! < number) at++;
    if (longer[at] === number) both[length++] = number;
  }
  return both.subarray(0, length);
}

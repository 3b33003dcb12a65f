import { addBit, type Bits } from './bits.ts';
import { partitionPoint } from './partition-point.ts';
import { nearWords } from './typos.ts';

/**
 * The words that occur in names, each with the tracks it occurs in. Words are sorted by UTF-16
 * units and known by their position; those that share a beginning are a range. Immutable.
 */
export class Dictionary {
  readonly #words: readonly string[];
  /** The tracks of word `i` are `#ordinals` from `#starts[i]` to before `#starts[i + 1]`. */
  readonly #starts: Uint32Array;
  readonly #ordinals: Uint32Array;
  /** The words in which each run of one, two or three UTF-16 units occurs, ascending. */
  readonly #grams: ReadonlyMap<number, readonly number[]>;

  constructor(
    words: readonly string[],
    starts: Uint32Array,
    ordinals: Uint32Array,
    grams: ReadonlyMap<number, readonly number[]>,
  ) {
    this.#words = words;
    this.#starts = starts;
    this.#ordinals = ordinals;
    this.#grams = grams;
  }

  /** Adds the tracks in which the word stands whole. */
  addWhole(word: string, bits: Bits): void {
    const at = this.#firstNotBelow(word);
    if (this.#words[at] === word) {
      this.#addRange(at, at + 1, bits);
    }
  }

  /** Adds the tracks in which some word begins so. */
  addBeginning(beginning: string, bits: Bits): void {
    const from = this.#firstNotBelow(beginning);
    const to = partitionPoint(from, this.#words.length, (at) =>
      this.#words[at]!.startsWith(beginning),
    );
    this.#addRange(from, to, bits);
  }

  /** Adds the tracks in which the piece stands inside some word, or is one. */
  addContaining(piece: string, bits: Bits): void {
    // One or two units are a gram themselves, longer pieces only hint at the words.
    const sure = piece.length < LONGEST_GRAM;
    for (const at of this.#rarestGram(piece)) {
      if (sure || this.#words[at]!.includes(piece)) {
        this.#addRange(at, at + 1, bits);
      }
    }
  }

  /** Adds the tracks of words that are at most so many typos away. */
  addNear(word: string, typos: number, bits: Bits): void {
    for (const at of nearWords(this.#words, word, typos)) {
      this.#addRange(at, at + 1, bits);
    }
  }

  #addRange(from: number, to: number, bits: Bits): void {
    const end = this.#starts[to]!;
    for (let i = this.#starts[from]!; i < end; i++) {
      addBit(bits, this.#ordinals[i]!);
    }
  }

  #firstNotBelow(word: string): number {
    return partitionPoint(0, this.#words.length, (at) => this.#words[at]! < word);
  }

  /** The shortest known list of words that every word containing the piece is in. */
  #rarestGram(piece: string): readonly number[] {
    const length = Math.min(piece.length, LONGEST_GRAM);
    let rarest: readonly number[] | undefined;
    for (let i = 0; i + length <= piece.length; i++) {
      const list = this.#grams.get(gramAt(piece, i, length)) ?? [];
      if (rarest === undefined || list.length < rarest.length) {
        rarest = list;
      }
    }
    return rarest ?? [];
  }
}

/** Gathers a dictionary's words. Tracks must come in ascending order. */
export class DictionaryBuilder {
  readonly #tracks = new Map<string, number[]>();

  add(word: string, ordinal: number): void {
    const tracks = this.#tracks.get(word);
    if (tracks === undefined) {
      this.#tracks.set(word, [ordinal]);
    } else if (tracks[tracks.length - 1] !== ordinal) {
      tracks.push(ordinal);
    }
  }

  /** Makes the dictionary in steps of some milliseconds each, for the caller to pause between. */
  *finish(): Generator<void, Dictionary> {
    const words = Array.from(this.#tracks.keys()).sort();
    yield;
    const tracks = words.map((word) => this.#tracks.get(word)!);
    yield;
    const starts = new Uint32Array(words.length + 1);
    for (let i = 0; i < words.length; i++) {
      starts[i + 1] = starts[i]! + tracks[i]!.length;
    }
    const ordinals = new Uint32Array(starts[words.length]!);
    let end = 0;
    for (const list of tracks) {
      for (const ordinal of list) {
        ordinals[end++] = ordinal;
      }
    }
    yield;
    const grams = new Map<number, number[]>();
    for (let i = 0; i < words.length; i++) {
      addGrams(grams, words[i]!, i);
      if (i % WORDS_A_STEP === WORDS_A_STEP - 1) {
        yield;
      }
    }
    return new Dictionary(words, starts, ordinals, grams);
  }
}

const WORDS_A_STEP = 5_000;

const LONGEST_GRAM = 3;

function addGrams(grams: Map<number, number[]>, word: string, at: number): void {
  for (let length = 1; length <= LONGEST_GRAM; length++) {
    for (let i = 0; i + length <= word.length; i++) {
      const gram = gramAt(word, i, length);
      const list = grams.get(gram);
      if (list === undefined) {
        grams.set(gram, [at]);
      } else if (list[list.length - 1] !== at) {
        list.push(at);
      }
    }
  }
}

/**
 * A number for the UTF-16 units at a place: one of its own for one or two of them, and for three a
 * negative one that others may share, which keeps it a small integer.
 */
function gramAt(text: string, i: number, length: number): number {
  const first = text.charCodeAt(i);
  if (length === 1) {
    return first;
  }
  const second = text.charCodeAt(i + 1);
  if (length === 2) {
    return first * 0x1_0000 + second;
  }
  return ~(
    (Math.imul(Math.imul(first, 0x6f4f) + second, 0x6f4f) + text.charCodeAt(i + 2)) &
    0x3fff_ffff
  );
}

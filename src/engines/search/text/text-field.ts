import type { TrackSet } from '../sets/track-set.ts';

/** The tracks of a field that have a word or a piece of one: a bitset if they are many, otherwise lists. */
export type Occurrences =
  | { kind: 'bits'; bits: Uint32Array }
  | {
      kind: 'lists';
      /** The sum of the lengths of the lists. A track counts once for each list that has it. */
      postings: number;
      /** Calls back with each list, in no particular order. Each list is ascending. */
      each(visit: (tracks: Uint32Array) => void): void;
      /**
       * Returns a test of whether a track is in one of the lists, which reads the words of the track. The
       * test is valid until the next call of `tester` on the same field. Absent if the tracks have no words
       * to read.
       */
      tester?(): (ordinal: number) => boolean;
    };

/** The tracks whose field begins with a sequence of words, as lists; see `NamesBeginning`. */
export type Beginnings = Record<
  'equal' | 'atWordEnd' | 'insideWord',
  (visit: (tracks: Uint32Array) => void) => void
>;

/** How well a field matches a text without letters or digits. Undefined: the field only contains the text. */
export type LiteralMatch = 'equal' | 'starting' | undefined;

/** A field that a text is searched in: the names of the tracks, their artists or their tags. */
export interface TextField {
  /** The tracks with a word that contains the piece. */
  containing(piece: string): Occurrences;
  /** The tracks with a word that begins with the piece. */
  beginning(piece: string): Occurrences;
  /** The tracks that have exactly this word. */
  whole(word: string): Occurrences;
  /**
   * The tracks with a word that contains the word or is at most `typos` typos away from it.
   * @param typos at most what `typosForgiven` gives for the word
   */
  containingOrNear(word: string, typos: number): Occurrences;
  /**
   * The same as `containingOrNear` for the given tracks only; other tracks may be missing. It is faster if
   * they are few.
   */
  containingOrNearAmong(word: string, typos: number, tracks: TrackSet): Occurrences;
  /** The tracks whose field begins with the words, the last of which may be unfinished. */
  startingWith(sequence: readonly string[]): Beginnings;
  /** The tracks whose field contains the text, which has no letter or digit, character by character. */
  containingLiterally(text: string): Occurrences;
  /** Returns a function that tells how well the field of a track matches such a text. */
  literalMatch(text: string): (ordinal: number) => LiteralMatch;
}

/** Marks on the entries of a list that can be cleared all at once. */
export class Marks {
  #marks: Uint32Array | undefined;
  #current = 0;
  readonly #length: number;

  constructor(length: number) {
    this.#length = length;
  }

  /** Clears all marks, and marks the entries. */
  mark(entries: ArrayLike<number>): void {
    this.#marks ??= new Uint32Array(this.#length);
    this.#current = (this.#current + 1) >>> 0;
    if (this.#current === 0) {
      this.#marks.fill(0);
      this.#current = 1;
    }
    for (let i = 0; i < entries.length; i++) this.#marks[entries[i]!] = this.#current;
  }

  add(entry: number): void {
    this.#marks![entry] = this.#current;
  }

  has(entry: number): boolean {
    return this.#marks![entry] === this.#current;
  }
}

/** How well one of several texts, which lie end to end, matches another text; all are in UTF-8. */
export function literalMatchIn(
  text: Uint8Array,
  texts: Uint8Array,
  start: number,
  end: number,
): LiteralMatch {
  if (end - start < text.length) return undefined;
  for (let i = 0; i < text.length; i++) {
    if (texts[start + i] !== text[i]) return undefined;
  }
  return end - start === text.length ? 'equal' : 'starting';
}

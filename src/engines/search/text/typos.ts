import type { WordList } from './word-list.ts';

/**
 * A word of a query that is compared with words of lists. A typo is one character inserted, deleted or
 * substituted, or two adjacent characters transposed; typos do not overlap (optimal string alignment).
 * Characters are code points; an unpaired surrogate counts as a character.
 */
export class WantedWord {
  readonly characters: Uint32Array;
  readonly typos: number;
  /** The length in UTF-16 units. */
  readonly #length: number;
  /** The characters of the word it is compared with, up to the greatest length that can be near. */
  readonly #other: Uint32Array;
  #otherLength = 0;

  /** @param typos the number of forgiven typos. Each additional typo may make a comparison four times as long. */
  constructor(text: string, typos: number) {
    this.characters = Uint32Array.from(text, (character) => character.codePointAt(0)!);
    this.typos = typos;
    this.#length = text.length;
    this.#other = new Uint32Array(this.characters.length + typos + 1);
  }

  /** Whether the word at a position of the list is at most `typos` typos away. */
  isNear(words: WordList, at: number): boolean {
    // A typo changes the length by at most one character, which has at most two units.
    if (Math.abs(words.lengthOf(at) - this.#length) > 2 * this.typos) {
      return false;
    }
    this.#otherLength = readCharacters(words, at, this.#other);
    return this.#isNearFrom(0, 0, this.typos);
  }

  /**
   * Whether the rests of the words, each from a position on, are at most `typos` typos apart. Equal
   * characters at the beginning of both cost nothing: some best alignment matches them. So a typo is where
   * they first differ. It is one of four kinds, most of which fail soon.
   */
  #isNearFrom(wantedFrom: number, otherFrom: number, typos: number): boolean {
    const wanted = this.characters;
    const other = this.#other;
    const end = this.#otherLength;
    let i = wantedFrom;
    let j = otherFrom;
    if (Math.abs(wanted.length - i - (end - j)) > typos) {
      return false;
    }
    while (i < wanted.length && j < end && wanted[i] === other[j]) {
      i++;
      j++;
    }
    if (i === wanted.length || j === end) {
      return true;
    }
    if (typos === 0) {
      return false;
    }
    // Past the end of either word there is no character, and nothing equals it.
    const isSwapped = wanted[i] === other[j + 1] && wanted[i + 1] === other[j] && j + 1 < end;
    return (
      this.#isNearFrom(i + 1, j + 1, typos - 1) ||
      this.#isNearFrom(i + 1, j, typos - 1) ||
      this.#isNearFrom(i, j + 1, typos - 1) ||
      (isSwapped && this.#isNearFrom(i + 2, j + 2, typos - 1))
    );
  }
}

/** Reads the first characters of a word, as many as `into` has room for, and returns their number. */
export function readCharacters(words: WordList, at: number, into: Uint32Array): number {
  const length = words.lengthOf(at);
  let count = 0;
  for (let i = 0; i < length && count < into.length; i++) {
    let character = words.unit(at, i);
    if (character >= 0xd800 && character <= 0xdbff && i + 1 < length) {
      const low = words.unit(at, i + 1);
      if (low >= 0xdc00 && low <= 0xdfff) {
        character = ((character - 0xd800) << 10) + low - 0xdc00 + 0x1_0000;
        i++;
      }
    }
    into[count++] = character;
  }
  return count;
}

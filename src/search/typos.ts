import type { WordList } from './word-list.ts';

/**
 * A word of a query, to be compared with words of lists. A typo is a character more, less or other,
 * or two neighbours swapped; none overlaps another (optimal string alignment). Characters are code
 * points; half a surrogate pair stands for itself, as everywhere in JavaScript.
 */
export class WantedWord {
  readonly characters: Uint32Array;
  readonly typos: number;
  /** In UTF-16 units. */
  readonly #length: number;
  /** The characters of the word it is compared with, but for those that only make it too long. */
  readonly #other: Uint32Array;
  #otherLength = 0;

  /** @param typos how many are forgiven: with each one more a comparison may take four times as long. */
  constructor(text: string, typos: number) {
    this.characters = Uint32Array.from(text, (character) => character.codePointAt(0)!);
    this.typos = typos;
    this.#length = text.length;
    this.#other = new Uint32Array(this.characters.length + typos + 1);
  }

  /** Whether the word at a position of the list becomes the wanted one by the typos or fewer. */
  isNear(words: WordList, at: number): boolean {
    // No typo changes the length by more than a character of two units.
    if (Math.abs(words.lengthOf(at) - this.#length) > 2 * this.typos) {
      return false;
    }
    this.#otherLength = readCharacters(words, at, this.#other);
    return this.#isNearFrom(0, 0, this.typos);
  }

  /**
   * Whether what is left of the words, from a place in either on, is so few typos apart. Characters that
   * both go on with cost nothing: any alignment can be changed to match them and is no worse. So a
   * typo stands where they first differ. It is one of four, of which mostly each soon proves wrong.
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
    // Past the end of either is no character, which is like no other.
    const isSwapped = wanted[i] === other[j + 1] && wanted[i + 1] === other[j] && j + 1 < end;
    return (
      this.#isNearFrom(i + 1, j + 1, typos - 1) ||
      this.#isNearFrom(i + 1, j, typos - 1) ||
      this.#isNearFrom(i, j + 1, typos - 1) ||
      (isSwapped && this.#isNearFrom(i + 2, j + 2, typos - 1))
    );
  }
}

/** Reads the word's first characters, as many as there is room for, and returns how many these are. */
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

import { shared } from '../segments/columns.ts';
import { partitionPoint } from '../sets/bits.ts';

/** Words sorted by UTF-16 units, end to end in one array, without an object for each. Immutable. */
export class WordList {
  readonly length: number;
  readonly #units: Uint16Array;
  readonly #starts: Uint32Array;

  constructor(units: Uint16Array, starts: Uint32Array) {
    this.#units = units;
    this.#starts = starts;
    this.length = starts.length - 1;
  }

  text(at: number): string {
    return String.fromCharCode(...this.#units.subarray(this.#starts[at], this.#starts[at + 1]));
  }

  lengthOf(at: number): number {
    return this.#starts[at + 1]! - this.#starts[at]!;
  }

  /** A unit of the word. `i` must be less than the length of the word. */
  unit(at: number, i: number): number {
    return this.#units[this.#starts[at]! + i]!;
  }

  /** The first position whose word is not less than the text. */
  firstNotBelow(text: string): number {
    return partitionPoint(0, this.length, (at) => this.#compare(at, text) < 0);
  }

  /** The range of positions of the words that begin with the text; `to` is exclusive. */
  rangeOf(beginning: string): [from: number, to: number] {
    const from = this.firstNotBelow(beginning);
    return [from, partitionPoint(from, this.length, (at) => this.startsWith(at, beginning))];
  }

  /** The position of a word; undefined if the list does not have it. */
  positionOf(word: string): number | undefined {
    const at = this.firstNotBelow(word);
    return at < this.length && this.#compare(at, word) === 0 ? at : undefined;
  }

  startsWith(at: number, beginning: string): boolean {
    return this.#matches(this.#starts[at]!, this.#starts[at + 1]!, beginning);
  }

  includes(at: number, piece: string): boolean {
    const end = this.#starts[at + 1]!;
    for (let from = this.#starts[at]!; from + piece.length <= end; from++) {
      if (this.#matches(from, end, piece)) {
        return true;
      }
    }
    return false;
  }

  #matches(from: number, end: number, text: string): boolean {
    if (from + text.length > end) {
      return false;
    }
    for (let i = 0; i < text.length; i++) {
      if (this.#units[from + i] !== text.charCodeAt(i)) {
        return false;
      }
    }
    return true;
  }

  #compare(at: number, text: string): number {
    const start = this.#starts[at]!;
    const length = this.#starts[at + 1]! - start;
    const shorter = Math.min(length, text.length);
    for (let i = 0; i < shorter; i++) {
      const difference = this.#units[start + i]! - text.charCodeAt(i);
      if (difference !== 0) {
        return difference;
      }
    }
    return length - text.length;
  }
}

export function wordColumns(words: readonly string[]): { units: Uint16Array; starts: Uint32Array } {
  const starts = shared.uint32(words.length + 1);
  for (const [i, word] of words.entries()) {
    starts[i + 1] = starts[i]! + word.length;
  }
  const units = shared.uint16(starts[words.length]!);
  let at = 0;
  for (const word of words) {
    for (let i = 0; i < word.length; i++) {
      units[at++] = word.charCodeAt(i);
    }
  }
  return { units, starts };
}

/** The greatest length of an indexed piece. A longer piece is found by the rarest indexed piece in it. */
export const MAX_GRAM_LENGTH = 3;

/**
 * The key of the `length` UTF-16 units at a position. Keys of one or two units are unique. Several pieces of
 * three units may share one key, so words that are found by it must be compared again.
 */
export function gramKey(text: string, at: number, length: number): number {
  const first = text.charCodeAt(at);
  if (length === 1) {
    return first;
  }
  const second = text.charCodeAt(at + 1);
  if (length === 2) {
    return ((first << 16) | second) >>> 0;
  }
  const mixed = Math.imul(Math.imul(first, 0x9e37_79b1) + second, 0x85eb_ca6b);
  return (mixed + text.charCodeAt(at + 2)) >>> 0;
}

import type { WordList } from './word-list.ts';

/**
 * The positions of those words that `wanted` becomes by at most `typos` edits, none of them
 * overlapping: a character more, less or other, or two neighbours swapped (optimal string
 * alignment). The list is sorted by UTF-16 units, so it is read as the tree of its beginnings:
 * words with a beginning in common share its part of the table, and a beginning that is too far
 * away ends the matter for all of them. Visits a small part of the words.
 */
export function nearWords(words: WordList, wanted: string, typos: number): number[] {
  const table = new AlignmentTable(words, wanted, typos);
  const near: number[] = [];
  for (let at = 0, previous = -1; at < words.length; ) {
    table.keep(previous < 0 ? 0 : sharedLength(words, previous, at));
    previous = at;
    const tooFarAfter = table.extend(at);
    if (tooFarAfter !== undefined) {
      at = endOfBeginning(words, at, tooFarAfter);
      continue;
    }
    if (table.distance <= typos) {
      near.push(at);
    }
    at++;
  }
  return near;
}

/** More than any number of typos, and far from overflowing when one is added. */
const FAR = 0x7fff;

/**
 * The distances between the beginnings of one word (rows) and those of the wanted one (columns).
 * A row and a column whose lengths differ by more than the typos are that far apart, so each row
 * is worked out in a band around the diagonal, and rows end soon after the wanted word does.
 */
class AlignmentTable {
  readonly #words: WordList;
  readonly #wanted: readonly number[];
  readonly #typos: number;
  readonly #width: number;
  readonly #cells: Uint16Array;
  /** Of each row: where its beginning ends, in UTF-16 units; its last character; its least cell. */
  readonly #ends: number[] = [0];
  readonly #characters: number[] = [-1];
  readonly #lowest: number[] = [0];
  #row = 0;

  constructor(words: WordList, wanted: string, typos: number) {
    this.#words = words;
    this.#wanted = Array.from(wanted, (character) => character.codePointAt(0)!);
    this.#typos = typos;
    this.#width = this.#wanted.length + 1;
    // A row too far away is the last; the longest is typos + 1 beyond the wanted word. Cells
    // outside of the band are never written.
    this.#cells = new Uint16Array((this.#width + typos + 2) * this.#width).fill(FAR);
    for (let j = 0; j < this.#width; j++) {
      this.#cells[j] = j;
    }
  }

  /** The last row's distance to the whole of the wanted word; inexact beyond the typos. */
  get distance(): number {
    return this.#cells[this.#row * this.#width + this.#wanted.length]!;
  }

  /** Takes back all rows whose beginnings are longer. */
  keep(length: number): void {
    while (this.#ends[this.#row]! > length) {
      this.#row--;
    }
  }

  /** Adds rows up to the whole word, or returns the length of the beginning that is too far away. */
  extend(at: number): number | undefined {
    const length = this.#words.lengthOf(at);
    // Least cells grow by one a row at most, so not even a swap, which reaches back over one row,
    // comes near again.
    while (this.#lowest[this.#row]! <= this.#typos) {
      const end = this.#ends[this.#row]!;
      if (end === length) {
        return undefined;
      }
      this.#addRow(this.#characterAt(at, end, length), end);
    }
    return this.#ends[this.#row]!;
  }

  /** The code point at a place of a word; half a pair stands for itself, as everywhere in JavaScript. */
  #characterAt(at: number, i: number, length: number): number {
    const unit = this.#words.unit(at, i);
    if (unit < 0xd800 || unit > 0xdbff || i + 1 === length) {
      return unit;
    }
    const low = this.#words.unit(at, i + 1);
    return low < 0xdc00 || low > 0xdfff ? unit : ((unit - 0xd800) << 10) + low - 0xdc00 + 0x1_0000;
  }

  #addRow(character: number, start: number): void {
    const cells = this.#cells;
    const row = this.#row + 1;
    const here = row * this.#width;
    const above = here - this.#width;
    const twoAbove = above - this.#width;
    const from = Math.max(1, row - this.#typos);
    const to = Math.min(this.#wanted.length, row + this.#typos);
    cells[here] = row;
    let lowest = row;
    for (let j = from; j <= to; j++) {
      const same = this.#wanted[j - 1] === character;
      let least = cells[above + j - 1]! + (same ? 0 : 1);
      least = Math.min(least, cells[above + j]! + 1, cells[here + j - 1]! + 1);
      const swapped =
        row > 1 &&
        j > 1 &&
        this.#wanted[j - 2] === character &&
        this.#wanted[j - 1] === this.#characters[row - 1];
      if (swapped) {
        least = Math.min(least, cells[twoAbove + j - 2]! + 1);
      }
      cells[here + j] = least;
      lowest = Math.min(lowest, least);
    }
    this.#row = row;
    this.#ends[row] = start + (character > 0xffff ? 2 : 1);
    this.#characters[row] = character;
    this.#lowest[row] = lowest;
  }
}

/** How many units two words have in common at their beginnings. */
function sharedLength(words: WordList, a: number, b: number): number {
  const most = Math.min(words.lengthOf(a), words.lengthOf(b));
  let length = 0;
  while (length < most && words.unit(a, length) === words.unit(b, length)) {
    length++;
  }
  return length;
}

/** The first position after `from` whose word does not begin with the same units; found by doubling steps. */
function endOfBeginning(words: WordList, from: number, length: number): number {
  const begins = (at: number) => at < words.length && sharedLength(words, from, at) >= length;
  let inside = from;
  let step = 1;
  while (begins(inside + step)) {
    inside += step;
    step *= 2;
  }
  for (; step >= 1; step >>>= 1) {
    if (begins(inside + step)) {
      inside += step;
    }
  }
  return inside + 1;
}

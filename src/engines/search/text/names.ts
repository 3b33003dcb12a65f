import type { NameColumns, NameOrderColumns } from '../segments/columns.ts';
import { partitionPoint } from '../sets/bits.ts';
import { type NamesInText, namesInText } from './names-in-text.ts';
import { sortedForm } from './sort-names.ts';
import type { WordList } from './word-list.ts';

/** The names of which one form begins with a sequence of words, as three disjoint lists of name numbers. */
export interface NamesBeginning {
  equal: Uint32Array;
  /** The form continues with another word. */
  atWordEnd: Uint32Array;
  /** The form continues within the last word. */
  insideWord: Uint32Array;
}

export interface NumberedName {
  names: Names;
  number: number;
  text(): string;
}

/** Names as lists of words, and their orders. Immutable. */
export class Names {
  readonly words: WordList;
  readonly columns: NameColumns;
  readonly #orders: NameOrderColumns;
  readonly #firstNames: Uint32Array;
  /** Where the words of each name end. */
  readonly #ends: Uint32Array;

  /**
   * @param firstNames for each word, and for the end of the words, the position in `byName` of the first name
   *   that begins with it or a later word; empty if it is not known
   */
  constructor(
    words: WordList,
    columns: NameColumns,
    orders: NameOrderColumns,
    firstNames: Uint32Array = new Uint32Array(),
  ) {
    this.words = words;
    this.columns = columns;
    this.#orders = orders;
    this.#firstNames = firstNames;
    this.#ends = columns.tokenStarts.subarray(1);
  }

  /** The glued form of a name: its words with single spaces between them. */
  glued(name: number): string {
    const { tokens, tokenStarts, splitStarts } = this.columns;
    let text = '';
    for (let i = tokenStarts[name]!; i < splitStarts[name]!; i++) {
      text += (text === '' ? '' : ' ') + this.words.text(tokens[i]!);
    }
    return text;
  }

  /** The words that a name is sorted by. */
  sorted(name: number, isArticle: (at: number, isElided: boolean) => boolean): string[] {
    const { tokens, tokenStarts, splitStarts } = this.columns;
    const [start, middle, end] = [tokenStarts[name]!, splitStarts[name]!, tokenStarts[name + 1]!];
    const [from, to] = sortedForm({ start, middle, end }, isArticle);
    return Array.from(tokens.subarray(from, to), (token) => this.words.text(token));
  }

  /** The words of both forms of a name, in any order. */
  wordsOf(name: number): string[] {
    const { tokens, tokenStarts } = this.columns;
    const words: string[] = [];
    for (let i = tokenStarts[name]!; i < tokenStarts[name + 1]!; i++) {
      words.push(this.words.text(tokens[i]!));
    }
    return words;
  }

  /**
   * The names that begin with the words, the last of which may be unfinished: one result for the glued forms
   * and one for the split forms. In either order these names are neighbors, and equal ones come first.
   */
  beginningWith(sequence: readonly string[]): readonly NamesBeginning[] {
    const { tokenStarts, splitStarts } = this.columns;
    const { byName, bySplitName } = this.#orders;
    const first = this.#firstNames;
    return [
      this.#beginning(sequence, byName, tokenStarts, splitStarts, (low, high) =>
        first.length === 0 ? [0, byName.length] : [first[low]!, first[high]!],
      ),
      this.#beginning(sequence, bySplitName, splitStarts, this.#ends, () => [
        0,
        bySplitName.length,
      ]),
    ].filter((names) => names !== undefined);
  }

  /** The names that are in a text, by either form: see `namesInText`. */
  inText(text: readonly (readonly string[])[]): NamesInText[] {
    const { tokens, tokenStarts, splitStarts } = this.columns;
    const { byName, bySplitName } = this.#orders;
    const glued = { order: byName, tokens, starts: tokenStarts, ends: splitStarts };
    const split = { order: bySplitName, tokens, starts: splitStarts, ends: this.#ends };
    return [glued, split].flatMap((names) => namesInText(this.words, names, text));
  }

  /**
   * @param starts where the form begins, by name; `ends` is where it ends, and `order` is sorted by this form
   * @param within positions that all names whose first word is from `low` to `high - 1` lie in
   */
  #beginning(
    sequence: readonly string[],
    order: Uint32Array,
    starts: Uint32Array,
    ends: Uint32Array,
    within: (low: number, high: number) => readonly [from: number, to: number],
  ): NamesBeginning | undefined {
    if (order.length === 0) return undefined;
    const { words } = this;
    const { tokens } = this.columns;
    const last = sequence.length - 1;
    const [low, high] = words.rangeOf(sequence[last]!);
    if (low === high) return undefined;
    const wanted: number[] = [];
    for (const word of sequence.slice(0, last)) {
      const at = words.positionOf(word);
      if (at === undefined) return undefined;
      wanted.push(at);
    }
    /** Whether a name comes before the names that have the wanted words followed by a word from `bound` on. */
    const isBefore = (place: number, bound: number): boolean => {
      const name = order[place]!;
      const start = starts[name]!;
      const length = ends[name]! - start;
      // Names without a word come last.
      if (length === 0) return false;
      for (let i = 0; i < last; i++) {
        if (i >= length || tokens[start + i]! < wanted[i]!) return true;
        if (tokens[start + i]! > wanted[i]!) return false;
      }
      return length <= last || tokens[start + last]! < bound;
    };
    const [first = low] = wanted;
    const [least, most] = within(first, last === 0 ? high : first + 1);
    const from = firstNot(least, most, (place) => isBefore(place, low));
    const to = firstNot(from, most, (place) => isBefore(place, high));
    const isWord = words.lengthOf(low) === sequence[last]!.length;
    const isWhole = (place: number) => tokens[starts[order[place]!]! + last] === low;
    const mostWhole = last === 0 ? Math.min(to, within(low, low + 1)[1]) : to;
    const isEqual = (place: number) => {
      const name = order[place]!;
      return ends[name]! - starts[name]! === last + 1;
    };
    const endOfWhole = isWord ? firstNot(from, mostWhole, isWhole) : from;
    const endOfEqual = partitionPoint(from, endOfWhole, isEqual);
    return {
      equal: order.subarray(from, endOfEqual),
      atWordEnd: order.subarray(endOfEqual, endOfWhole),
      insideWord: order.subarray(endOfWhole, to),
    };
  }
}

/** The same as `partitionPoint`, but tries the two ends first, because the range is often known. */
function firstNot(from: number, to: number, holds: (place: number) => boolean): number {
  if (from === to || !holds(from)) return from;
  return holds(to - 1) ? to : partitionPoint(from + 1, to - 1, holds);
}

import type { NameColumns } from '../segments/columns.ts';
import { partitionPoint } from '../sets/bits.ts';
import type { WordList } from './word-list.ts';

/** Longer names are not found in a text. */
const MAX_WORDS_IN_TEXT = 8;

/** The names that consist of `length` words of a text, from the word `from` on. */
export interface NamesInText {
  from: number;
  length: number;
  /** The numbers of the names. */
  names: Uint32Array;
}

/** Names in the order of one of their forms; `starts` and `ends` are where the form of each name begins and ends. */
export interface OrderedNames {
  order: Uint32Array;
  tokens: NameColumns['tokens'];
  starts: Uint32Array;
  ends: Uint32Array;
}

/**
 * Finds all names that are in a text, in any order. The cost grows with the number of words, and of names only by its
 * logarithm.
 * @param text for each word its spellings, the written one first; the others count only at the end of a name. A word
 *   without spellings is in no name.
 */
export function namesInText(
  words: WordList,
  names: OrderedNames,
  text: readonly (readonly string[])[],
): NamesInText[] {
  const positions = new Map<string, number | undefined>();
  const positionOf = (word: string) => {
    if (!positions.has(word)) positions.set(word, words.positionOf(word));
    return positions.get(word);
  };
  const tokens = text.map((spellings) => spellings.map(positionOf));
  const found: NamesInText[] = [];
  for (let from = 0; from < text.length; from++) {
    let range: Range = [0, names.order.length];
    const end = Math.min(text.length, from + MAX_WORDS_IN_TEXT);
    for (let at = from; at < end && range[0] < range[1]; at++) {
      const depth = at - from;
      let next: Range = [0, 0];
      for (const [spelling, token] of tokens[at]!.entries()) {
        if (token === undefined) continue;
        const { equal, longer } = withToken(names, range, depth, token);
        if (equal[0] < equal[1]) {
          found.push({ from, length: depth + 1, names: names.order.subarray(...equal) });
        }
        if (spelling === 0) next = longer;
      }
      range = next;
    }
  }
  return found;
}

/** Places in the order; the second one is exclusive. */
type Range = readonly [from: number, to: number];

/**
 * The names in a range that have a token at a depth: those that end with it, and those that continue. All names in the
 * range have the same tokens before, and continue, or have no word at all and come last.
 */
function withToken(
  { order, tokens, starts, ends }: OrderedNames,
  [least, most]: Range,
  depth: number,
  token: number,
): { equal: Range; longer: Range } {
  const isBefore = (place: number, bound: number) => {
    const at = starts[order[place]!]! + depth;
    return at < ends[order[place]!]! && tokens[at]! < bound;
  };
  const from = partitionPoint(least, most, (place) => isBefore(place, token));
  const to = partitionPoint(from, most, (place) => isBefore(place, token + 1));
  const middle = partitionPoint(from, to, (place) => {
    const name = order[place]!;
    return ends[name]! - starts[name]! === depth + 1;
  });
  return { equal: [from, middle], longer: [middle, to] };
}

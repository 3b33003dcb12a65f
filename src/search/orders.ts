import { type NameColumns, type NameOrderColumns, type OrderColumns, shared } from './columns.ts';
import { sortedInSteps } from './steps.ts';

/** Greater than any ordinal. A double has room for an ordinal and a number of 21 bits. */
const ORDINALS = 2 ** 32;
const UNKNOWN_KEY = 2 ** 21 - 1;

/** The values that the orders are made from. */
export interface OrderInput extends NameColumns {
  size: number;
  /** 0 if unknown. */
  bpms: Uint32Array;
  durations: Uint32Array;
}

/** Sorts the tracks in every stored order, in steps of a few milliseconds. */
export function* buildOrders(input: OrderInput): Generator<void, OrderColumns> {
  const { byName, bySplitName } = yield* buildNameOrders(input, input.size);
  const nameRanks = shared.uint32(input.size);
  for (let i = 0; i < byName.length; i++) {
    nameRanks[byName[i]!] = i;
  }
  yield;
  const byBpm = yield* orderByNumber(input.bpms);
  yield;
  const byDuration = yield* orderByNumber(input.durations);
  return { byName, bySplitName, nameRanks, byBpm, byDuration };
}

/** Sorts the names by each of their forms, in steps of a few milliseconds. */
export function* buildNameOrders(
  { tokens, tokenStarts, splitStarts }: NameColumns,
  size: number,
): Generator<void, NameOrderColumns> {
  const byName = shared.uint32(size);
  let splits = 0;
  for (let name = 0; name < size; name++) {
    byName[name] = name;
    if (splitStarts[name]! < tokenStarts[name + 1]!) splits++;
  }
  yield;
  const bySplitName = shared.uint32(splits);
  for (let name = 0, at = 0; name < size; name++) {
    if (splitStarts[name]! < tokenStarts[name + 1]!) bySplitName[at++] = name;
  }
  yield* sortByWords(byName, tokens, tokenStarts, splitStarts);
  yield* sortByWords(bySplitName, tokens, splitStarts, tokenStarts.subarray(1));
  return { byName, bySplitName };
}

/**
 * Sorts names by the UTF-16 units of a form. The words can be compared one by one, because the space between
 * words is less than every unit of a word. Names without a word come last.
 */
function* sortByWords(
  names: Uint32Array,
  tokens: Uint32Array,
  starts: Uint32Array,
  ends: Uint32Array,
): Generator<void> {
  // The first two words as one number: a double holds integers of 53 bits, and a dictionary has fewer than
  // 2^26 words.
  const beginnings = new Float64Array(starts.length);
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!;
    const start = starts[name]!;
    const words = ends[name]! - start;
    beginnings[name] =
      words === 0
        ? Number.POSITIVE_INFINITY
        : tokens[start]! * 2 ** 27 + (words === 1 ? 0 : tokens[start + 1]! + 1);
  }
  yield;
  const compareRest = (a: number, b: number): number => {
    const endA = ends[a]!;
    const endB = ends[b]!;
    let i = starts[a]! + 2;
    let j = starts[b]! + 2;
    for (; i < endA && j < endB; i++, j++) {
      if (tokens[i] !== tokens[j]) {
        return tokens[i]! - tokens[j]!;
      }
    }
    // If one form ends before its third word, so does the other, because their first two words are equal.
    return Math.max(endA - i, 0) - Math.max(endB - j, 0) || a - b;
  };
  const compare = (a: number, b: number): number => {
    const x = beginnings[a]!;
    const y = beginnings[b]!;
    return x < y ? -1 : x > y ? 1 : compareRest(a, b);
  };
  yield* sortedInSteps(names, compare);
}

/** Sorts ascending; 0, which means unknown, comes last. */
function* orderByNumber(numbers: Uint32Array): Generator<void, Uint32Array> {
  const order = shared.uint32(numbers.length);
  const known = (ordinal: number) => numbers[ordinal]! || Number.POSITIVE_INFINITY;
  if (numbers.some((number) => number >= UNKNOWN_KEY)) {
    for (let i = 0; i < order.length; i++) {
      order[i] = i;
    }
    yield* sortedInSteps(order, (a, b) => known(a) - known(b) || a - b);
    return order;
  }
  // A number and its ordinal are combined into one double, because doubles sort many times faster.
  const keys = new Float64Array(numbers.length);
  for (let ordinal = 0; ordinal < numbers.length; ordinal++) {
    keys[ordinal] = Math.min(known(ordinal), UNKNOWN_KEY) * ORDINALS + ordinal;
  }
  keys.sort();
  for (let i = 0; i < keys.length; i++) {
    order[i] = keys[i]! % ORDINALS;
  }
  return order;
}

import { type OrderColumns, shared } from './columns.ts';
import { sortedInSteps } from './steps.ts';

/** More than any ordinal; a double has room for a number of 21 bits beside one. */
const ORDINALS = 2 ** 32;
const UNKNOWN_KEY = 2 ** 21 - 1;

/** What the orders go by. */
export interface OrderInput {
  size: number;
  /** Positions in the sorted dictionary. */
  tokens: Uint32Array;
  tokenStarts: Uint32Array;
  /** 0 where unknown. */
  bpms: Uint32Array;
  durations: Uint32Array;
}

/** Sorts the tracks in every order but that of the catalog, in steps of some milliseconds. */
export function* buildOrders(input: OrderInput): Generator<void, OrderColumns> {
  const byName = yield* orderByName(input);
  const nameRanks = shared.uint32(input.size);
  for (let i = 0; i < byName.length; i++) {
    nameRanks[byName[i]!] = i;
  }
  yield;
  const byBpm = yield* orderByNumber(input.bpms);
  yield;
  const byDuration = yield* orderByNumber(input.durations);
  return { byName, nameRanks, byBpm, byDuration };
}

/**
 * Folded names in the order of their UTF-16 units, which is that of their words one by one, for the
 * space between words comes before all that words are made of; names without a word last.
 */
function* orderByName({ size, tokens, tokenStarts }: OrderInput): Generator<void, Uint32Array> {
  // The first two words as one number: a double holds 53 bits, the dictionary less than 2^26 words.
  const beginnings = new Float64Array(size);
  for (let ordinal = 0; ordinal < size; ordinal++) {
    const start = tokenStarts[ordinal]!;
    const words = tokenStarts[ordinal + 1]! - start;
    beginnings[ordinal] =
      words === 0
        ? Number.POSITIVE_INFINITY
        : tokens[start]! * 2 ** 27 + (words === 1 ? 0 : tokens[start + 1]! + 1);
  }
  yield;
  const compareRest = (a: number, b: number): number => {
    const endA = tokenStarts[a + 1]!;
    const endB = tokenStarts[b + 1]!;
    let i = tokenStarts[a]! + 2;
    let j = tokenStarts[b]! + 2;
    for (; i < endA && j < endB; i++, j++) {
      if (tokens[i] !== tokens[j]) {
        return tokens[i]! - tokens[j]!;
      }
    }
    // One may have ended before its third word: then both did, or their beginnings would differ.
    return Math.max(endA - i, 0) - Math.max(endB - j, 0) || a - b;
  };
  const compare = (a: number, b: number): number => {
    const x = beginnings[a]!;
    const y = beginnings[b]!;
    return x < y ? -1 : x > y ? 1 : compareRest(a, b);
  };
  const order = shared.uint32(size);
  for (let i = 0; i < size; i++) {
    order[i] = i;
  }
  yield* sortedInSteps(order, compare);
  return order;
}

/** Ascending, 0 for unknown last. */
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
  // Number and ordinal as one double, of 53 bits, sort many times faster.
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

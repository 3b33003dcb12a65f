import { setImmediate as pause } from 'node:timers/promises';

/** Runs all steps without a pause, and returns the result. */
export function runSteps<T>(steps: Generator<void, T>): T {
  while (true) {
    const step = steps.next();
    if (step.done) {
      return step.value;
    }
  }
}

/**
 * Runs the steps, and pauses every four milliseconds so that the event loop can do other work. It does not
 * pause after each step: on a busy server a pause takes ten times as long as most steps, of which there may
 * be a hundred.
 */
export async function runStepsWithPauses<T>(steps: Generator<void, T>): Promise<T> {
  let pauseAt = performance.now() + PAUSE_AFTER_MS;
  while (true) {
    const step = steps.next();
    if (step.done) {
      return step.value;
    }
    if (performance.now() >= pauseAt) {
      await pause();
      pauseAt = performance.now() + PAUSE_AFTER_MS;
    }
  }
}

const PAUSE_AFTER_MS = 4;

/** The number of items that one step of a sort compares or moves: a few milliseconds of work. */
const ITEMS_PER_STEP = 4_096;

/** Sorts in place, in steps: first short runs, which are then merged in pairs. */
export function* sortedInSteps(
  items: Uint32Array,
  compare: (a: number, b: number) => number,
): Generator<void> {
  for (let from = 0; from < items.length; from += ITEMS_PER_STEP) {
    items.subarray(from, from + ITEMS_PER_STEP).sort(compare);
    yield;
  }
  if (items.length <= ITEMS_PER_STEP) return;
  let source = items;
  let target: Uint32Array = new Uint32Array(items.length);
  for (let run = ITEMS_PER_STEP; run < items.length; run *= 2) {
    for (let from = 0; from < items.length; from += 2 * run) {
      yield* mergeRuns(source, target, from, run, compare);
    }
    [source, target] = [target, source];
  }
  if (source !== items) {
    items.set(source);
  }
}

/** Merges two adjacent runs of `length` items. The second may be shorter or missing. */
function* mergeRuns(
  source: Uint32Array,
  target: Uint32Array,
  from: number,
  run: number,
  compare: (a: number, b: number) => number,
): Generator<void> {
  const middle = Math.min(from + run, source.length);
  const end = Math.min(from + 2 * run, source.length);
  let i = from;
  let j = middle;
  for (let at = from; at < end; at++) {
    const takeLeft = j === end || (i < middle && compare(source[i]!, source[j]!) <= 0);
    target[at] = source[takeLeft ? i++ : j++]!;
    if (at % ITEMS_PER_STEP === ITEMS_PER_STEP - 1) yield;
  }
}

/** Keys of items: item `i` has the key `words[i * stride + offset]`. The default is `words[i]`. */
export interface SortKeys {
  words: Uint32Array;
  stride?: number;
  offset?: number;
}

const KEYS_PER_STEP = 2 ** 16;

/** The bits of a digit. There are few enough digits that the places that they write to fit into the cache. */
const DIGIT_BITS = 11;
const DIGITS = 2 ** DIGIT_BITS;

/**
 * Sorts items by several keys, the most significant key first, in steps of a few milliseconds. Items with
 * equal keys are sorted by `compare`, or else remain in their order. The number of passes over the items does
 * not depend on their number, so this is several times faster than a sort that compares them.
 */
export function* sortByKeys(
  items: Uint32Array,
  keys: readonly SortKeys[],
  compare?: (a: number, b: number) => number,
): Generator<void> {
  const sorter = new RadixSorter(items);
  for (const key of keys.toReversed()) {
    yield* sorter.sortBy(key);
  }
  sorter.finish();
  if (compare !== undefined) yield* sortTies(items, keys, compare);
}

/** An item lies beside its key, because both are then read one after another. */
class RadixSorter {
  readonly #given: Uint32Array;
  #items: Uint32Array;
  #nextItems: Uint32Array;
  #keys: Uint32Array;
  #nextKeys: Uint32Array;

  constructor(items: Uint32Array) {
    this.#given = items;
    this.#items = items;
    this.#nextItems = new Uint32Array(items.length);
    this.#keys = new Uint32Array(items.length);
    this.#nextKeys = new Uint32Array(items.length);
  }

  *sortBy({ words, stride = 1, offset = 0 }: SortKeys): Generator<void> {
    const items = this.#items;
    const keys = this.#keys;
    let differing = 0;
    for (let i = 0; i < items.length; i++) {
      keys[i] = words[items[i]! * stride + offset]!;
      differing |= keys[i]! ^ keys[0]!;
      if (i % KEYS_PER_STEP === KEYS_PER_STEP - 1) yield;
    }
    for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
      if (((differing >>> shift) & (DIGITS - 1)) !== 0) yield* this.#sortByDigit(shift);
    }
  }

  /** Writes the sorted items into the given array. */
  finish(): void {
    if (this.#items !== this.#given) this.#given.set(this.#items);
  }

  *#sortByDigit(shift: number): Generator<void> {
    const [items, keys, nextItems, nextKeys] = [
      this.#items,
      this.#keys,
      this.#nextItems,
      this.#nextKeys,
    ];
    const places = new Uint32Array(DIGITS + 1);
    for (let i = 0; i < keys.length; i++) {
      places[((keys[i]! >>> shift) & (DIGITS - 1)) + 1]!++;
    }
    for (let digit = 0; digit < DIGITS; digit++) places[digit + 1]! += places[digit]!;
    yield;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]!;
      const place = places[(key >>> shift) & (DIGITS - 1)]!++;
      nextKeys[place] = key;
      nextItems[place] = items[i]!;
      if (i % KEYS_PER_STEP === KEYS_PER_STEP - 1) yield;
    }
    [this.#items, this.#nextItems] = [nextItems, items];
    [this.#keys, this.#nextKeys] = [nextKeys, keys];
  }
}

function* sortTies(
  items: Uint32Array,
  keys: readonly SortKeys[],
  compare: (a: number, b: number) => number,
): Generator<void> {
  const areTied = (a: number, b: number) =>
    keys.every(
      ({ words, stride = 1, offset = 0 }) =>
        words[a * stride + offset] === words[b * stride + offset],
    );
  let from = 0;
  for (let to = 1; to <= items.length; to++) {
    if (to < items.length && areTied(items[from]!, items[to]!)) continue;
    if (to - from > 1) yield* sortedInSteps(items.subarray(from, to), compare);
    from = to;
    if (to % KEYS_PER_STEP === 0) yield;
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Runs work that comes in steps, at one go. */
export function completed<T>(steps: Generator<void, T>): T {
  while (true) {
    const step = steps.next();
    if (step.done) {
      return step.value;
    }
  }
}

/**
 * Runs the steps, letting everything else have its turn every four milliseconds. Not after each step: of a
 * busy server everything else takes ten times as long as most steps, and there may be a hundred of them.
 */
export async function completedInTurns<T>(steps: Generator<void, T>): Promise<T> {
  let endOfTurn = performance.now() + TURN_MS;
  while (true) {
    const step = steps.next();
    if (step.done) {
      return step.value;
    }
    if (performance.now() >= endOfTurn) {
      await nextTurn();
      endOfTurn = performance.now() + TURN_MS;
    }
  }
}

const TURN_MS = 4;

/** How many items a step of a sort compares or moves: a few milliseconds of work. */
const ITEMS_A_STEP = 4_096;

/** Sorts in place, in steps: short runs by themselves, then merged two by two. */
export function* sortedInSteps(
  items: Uint32Array,
  compare: (a: number, b: number) => number,
): Generator<void> {
  for (let from = 0; from < items.length; from += ITEMS_A_STEP) {
    items.subarray(from, from + ITEMS_A_STEP).sort(compare);
    yield;
  }
  let source = items;
  let target: Uint32Array = new Uint32Array(items.length);
  for (let run = ITEMS_A_STEP; run < items.length; run *= 2) {
    for (let from = 0; from < items.length; from += 2 * run) {
      yield* mergeRuns(source, target, from, run, compare);
    }
    [source, target] = [target, source];
  }
  if (source !== items) {
    items.set(source);
  }
}

/** Merges two neighbouring runs of so many items, the second of which may be short or missing. */
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
    if (at % ITEMS_A_STEP === ITEMS_A_STEP - 1) yield;
  }
}

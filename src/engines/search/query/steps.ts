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

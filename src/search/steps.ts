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

/** Runs the steps, letting everything else have its turn between two of them. */
export async function completedInTurns<T>(steps: Generator<void, T>): Promise<T> {
  while (true) {
    const step = steps.next();
    if (step.done) {
      return step.value;
    }
    await nextTurn();
  }
}

/** How many items a step of a sort compares or moves: a few milliseconds of work. */
const ITEMS_A_STEP = 8_192;

/** The items in order, in steps: short runs sorted by themselves, then merged two by two. Stable. */
export function* sortedInSteps<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<void, T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += ITEMS_A_STEP) {
    runs.push(items.slice(from, from + ITEMS_A_STEP).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const [left, right] = [runs[i]!, runs[i + 1]];
      merged.push(right === undefined ? left : yield* mergedInSteps(left, right, compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergedInSteps<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<void, T[]> {
  const merged: T[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    merged.push(compare(right[j]!, left[i]!) < 0 ? right[j++]! : left[i++]!);
    if (merged.length % ITEMS_A_STEP === 0) yield;
  }
  while (i < left.length) merged.push(left[i++]!);
  while (j < right.length) merged.push(right[j++]!);
  return merged;
}

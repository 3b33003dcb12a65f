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

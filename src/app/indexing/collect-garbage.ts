import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Frees all memory of this thread that is no longer referenced, which takes some tens of milliseconds. V8 does not count
 * shared memory, so it would keep segments of hundreds of megabytes until a thread needs memory for something else.
 */
export function collectGarbage(): void {
  collect ??= makeCollect();
  collect();
}

let collect: (() => void) | undefined;

/** Only a context that is made after the flag was set has the function. */
function makeCollect(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

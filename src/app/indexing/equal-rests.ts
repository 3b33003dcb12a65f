import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Returns a function that pauses for as long as the work since its last return took. A thread that reads much calls it
 * between its reads, because the write-ahead log of SQLite can begin anew, and so stay small, only while nobody reads.
 */
export function equalRests(): () => Promise<void> {
  let startedAt = performance.now();
  return async () => {
    await sleep(performance.now() - startedAt);
    startedAt = performance.now();
  };
}

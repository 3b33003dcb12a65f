/**
 * Returns a function that runs work, at most `limit` at the same time. Further work waits, in the order of the calls.
 */
export function limited(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running === limit) {
      // Who ends leaves its place to the first that waits, so `running` does not change.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running++;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

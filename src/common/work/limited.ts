/**
 * Returns a function that runs work, at most `limit` at the same time. Further work waits, in the order of the calls.
 *
 * @param wait if given, work that has waited for `ms` is not begun, and is rejected with the error of `tooLong`. So is further
 * work while `most` wait.
 */
export function limited(
  limit: number,
  wait?: { ms: number; most?: number; tooLong(): Error },
): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting = new Set<() => void>();

  const turn = () =>
    new Promise<void>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const begin = () => {
        clearTimeout(timer);
        waiting.delete(begin);
        resolve();
      };
      waiting.add(begin);
      if (wait === undefined) return;
      timer = setTimeout(() => {
        waiting.delete(begin);
        reject(wait.tooLong());
      }, wait.ms);
    });

  return async (work) => {
    // Who ends leaves its place to the first that waits, so `running` does not change.
    if (running < limit) running++;
    else if (wait !== undefined && waiting.size >= (wait.most ?? Infinity)) throw wait.tooLong();
    else await turn();
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next === undefined) running--;
      else next();
    }
  };
}

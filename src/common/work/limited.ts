import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Returns a function that runs work, at most `limit` at the same time. Further work waits, in the order of the calls.
 *
 * @param wait if given, work that has waited for `ms`, or that comes while `most` wait, is rejected with the error of
 * `tooLong`; by default, neither has a limit
 */
export function limited(
  limit: number,
  wait?: { ms?: number; most?: number; tooLong(): Error },
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
      if (wait?.ms === undefined) return;
      timer = setTimeout(() => {
        waiting.delete(begin);
        reject(wait.tooLong());
      }, wait.ms);
    });

  return async (work) => {
    // Work that ends leaves its place to the work that has waited longest, so `running` does not change.
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

/**
 * Returns a function that passes its arguments to `work` in groups. A group has the arguments of one turn of the event
 * loop, or of the time during which the previous group is at work. `work` returns the results in the order of the group.
 * If it fails, all calls of the group fail.
 * @param most the largest group; further calls wait for the next one
 */
export function grouped<Item, Result>(
  work: (group: readonly Item[]) => Promise<readonly Result[]>,
  most: number,
): (item: Item) => Promise<Result> {
  interface Call {
    item: Item;
    resolve(result: Result): void;
    reject(error: unknown): void;
  }
  const waiting: Call[] = [];
  let isWorking = false;

  const run = async () => {
    while (waiting.length > 0) {
      await nextTurn();
      const calls = waiting.splice(0, most);
      try {
        const results = await work(calls.map(({ item }) => item));
        for (const [place, { resolve }] of calls.entries()) resolve(results[place]!);
      } catch (error) {
        for (const { reject } of calls) reject(error);
      }
    }
    isWorking = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isWorking) return;
      isWorking = true;
      void run();
    });
}

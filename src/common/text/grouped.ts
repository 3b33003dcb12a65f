import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Returns a function that passes its arguments to `work` in groups: those of one turn of the event loop, and those of
 * the time during which the previous group is at work. `work` returns the results in the order of the group. If it
 * fails, all calls of the group fail.
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

import { until } from './until.ts';

/**
 * Repeats a request while the node refuses it because of overload, which other work on the machine can cause. Repeating
 * is safe: the node refuses the request before it reads it.
 */
export async function answered<T extends { status: number }>(
  ask: () => Promise<T>,
  textOf: (answer: T) => string,
): Promise<T> {
  let answer: T | undefined;
  await until(
    async () => {
      answer = await ask();
      return answer.status !== 503 || !textOf(answer).includes('This node has too much to do');
    },
    'a response other than 503',
    120_000,
  );
  return answer!;
}

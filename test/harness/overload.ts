import { until } from './until.ts';

/**
 * The answer to a request, which is repeated while the node refuses it because it has too much to do: a
 * machine that is busy with other work makes it late. It refuses so before it looks at the request.
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
    'an answer other than 503',
    120_000,
  );
  return answer!;
}

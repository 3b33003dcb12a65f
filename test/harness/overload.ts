import { until } from './until.ts';

/**
 * Repeats a request while the node refuses it because of overload, which many requests at the same time can cause.
 * Repeating is safe: the node refuses the request before it reads it.
 */
export async function repeatedWhileOverloaded<T extends { status: number }>(
  ask: () => Promise<T>,
  textOf: (response: T) => string,
): Promise<T> {
  let response: T | undefined;
  await until(
    async () => {
      response = await ask();
      return response.status !== 503 || !textOf(response).includes('This node has too much to do');
    },
    'a response other than 503',
    120_000,
  );
  return response!;
}

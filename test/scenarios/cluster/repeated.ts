import { asStaveError } from '../../../src/engines/http/response/errors.ts';
import { until } from '../../harness/until.ts';

/**
 * Repeats the work as long as a request would get 503: while the database counts as unavailable, or while other writers
 * keep the lock. The store waits only as long as a request may, and on a busy machine a healthy server can take longer.
 */
export async function repeated<T>(work: () => Promise<T>): Promise<T> {
  let done: { value: T } | undefined;
  await until(
    async () => {
      try {
        done = { value: await work() };
      } catch (error) {
        if (asStaveError(error).kind !== 'unavailable') throw error;
      }
      return done !== undefined;
    },
    'the work',
    120_000,
  );
  return done!.value;
}

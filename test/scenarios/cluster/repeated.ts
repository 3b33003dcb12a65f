import { StaveError } from '../../../src/common/errors.ts';
import { until } from '../../harness/until.ts';

/**
 * What the work gives, which is repeated where the database was given up: the store waits as long as a
 * request may, and on a busy machine a healthy server takes longer.
 */
export async function repeated<T>(work: () => Promise<T>): Promise<T> {
  let done: { value: T } | undefined;
  await until(
    async () => {
      try {
        done = { value: await work() };
      } catch (error) {
        if (!(error instanceof StaveError) || error.kind !== 'unavailable') throw error;
      }
      return done !== undefined;
    },
    'the work',
    120_000,
  );
  return done!.value;
}

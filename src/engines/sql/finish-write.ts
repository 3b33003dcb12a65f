import type { OpenWrite, WriteContext } from '../../common/caller/write-context.ts';

/** Returns the work of a write, followed by `finish` of its context. */
export function withFinish<Transaction extends OpenWrite, Result>(
  work: (transaction: Transaction) => Promise<Result>,
  context: WriteContext<Result> | undefined,
): (transaction: Transaction) => Promise<Result> {
  return async (transaction) => {
    const result = await work(transaction);
    await context?.finish?.(result, transaction);
    return result;
  };
}

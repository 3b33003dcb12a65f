import { limited } from '../../../../common/work/limited.ts';
import type { WaitPolicy } from '../../../../common/work/wait-policy.ts';
import { databaseBusy } from './postgres-error.ts';
import { LOCK_MS } from './transaction.ts';

/**
 * The writers of this process that may have a connection, of which one waits for the lock of the other. More would only
 * take connections from reads.
 */
const WRITERS = 2;

/** Runs writes in turn. Without a wait policy, those that wait too long for their turn are rejected with `unavailable`. */
export type WriteTurns = ReturnType<typeof limited>;

/** Returns the turns of a process. */
export function writeTurns(policy: WaitPolicy): WriteTurns {
  const wait = { ms: LOCK_MS, tooLong: () => databaseBusy() };
  return limited(WRITERS, policy.ms > 0 ? undefined : wait);
}

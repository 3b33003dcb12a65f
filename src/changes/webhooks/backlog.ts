import type { PendingMessages } from './fan-out-store.ts';

/** With more changes of a type than this, new or not delivered, an endpoint gets one message without them. */
const MOST_CHANGES = 1_000;

/** The part of the time since the oldest pending message for which the next one that need not be sent is held back. */
const HELD_PART = 0.1;

/** Whether so many changes are new or not delivered that one message stands for all new ones. */
export function areTooMany(newChanges: number, pending: PendingMessages | undefined): boolean {
  return newChanges + (pending?.count ?? 0) > MOST_CHANGES;
}

/**
 * Whether new changes are held back that one message can report later as well as now. An endpoint that has failed for a
 * day gets the next such message two hours after the last one, so that three days leave about a hundred of them, and
 * they find out soon enough that it works again. An endpoint that receives its messages has none that are pending.
 */
export function isHeldBack(pending: PendingMessages | undefined, now: number): boolean {
  if (pending === undefined) return false;
  return now - pending.newestAt < (now - pending.oldestAt) * HELD_PART;
}

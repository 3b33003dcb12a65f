import type { Subscriber } from './fan-out-store.ts';
import type { EventType } from './webhook.ts';

/** With more changes of a type than this, new or not delivered, an endpoint gets one message without them. */
const MAX_CHANGES = 1_000;

/** The part of the time since the oldest pending message for which the next one that need not be sent is held back. */
const HELD_PART = 0.1;
/** The longest that it is held back from an endpoint that has responded since then, to another message. */
const HELD_IF_RESPONDING_MS = 60_000;

/** Whether so many changes are new or not delivered that one message stands for all new ones. */
export function areTooMany(newChanges: number, pending: { count: number } | undefined): boolean {
  return newChanges + (pending?.count ?? 0) > MAX_CHANGES;
}

/**
 * Whether new changes are held back that one message can report later as well as now. An endpoint that has failed for a
 * day gets the next such message two hours after the last one, so that three days leave about a hundred of them. One
 * that has received a message since then works again, and gets it without delay. It may be that it refuses only those
 * of this type, so that there is one a minute at most.
 * @param now in milliseconds since the epoch
 */
export function isHeldBack(
  { pending, lastSuccessAt }: Pick<Subscriber, 'pending' | 'lastSuccessAt'>,
  type: EventType,
  now: number,
): boolean {
  const waiting = pending.get(type);
  if (waiting === undefined) return false;
  const { oldestAt, newestAt } = waiting;
  const isResponding = lastSuccessAt !== null && lastSuccessAt > newestAt;
  const most = isResponding ? HELD_IF_RESPONDING_MS : Number.POSITIVE_INFINITY;
  return now - newestAt < Math.min((now - oldestAt) * HELD_PART, most);
}

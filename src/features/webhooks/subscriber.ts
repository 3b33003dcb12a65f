import type { Mode } from '../../common/caller.ts';
import type { EventType } from './webhook.ts';

/** Where the messages of a type to an endpoint begin and end. */
export interface Chain {
  /** Only changes after this one are sent. */
  startSeq: number;
  /** Tracks with a greater row id were created after `startSeq`. */
  startRowId: number;
  /** The change of the last message; before the first one, what that names as the one before. */
  seq: number;
}

/** Changes that wait for the next message of their chain. */
export interface HeldChanges {
  fromSeq: number;
  seq: number;
  /** The time of the last one, in milliseconds since the epoch. */
  at: number;
  count: number;
  /** The batch of all of them; absent if they have different ones. */
  batchId?: string | null | undefined;
  /** The members of `data` that show the last one. */
  members: object;
}

/** A chain with changes that wait. */
export interface HeldChain extends Pick<Chain, 'seq'> {
  type: EventType;
  subject: string;
  held: HeldChanges;
}

/** The pending messages of a type to an endpoint that report changes. Times are in milliseconds since the epoch. */
interface PendingMessages {
  /** The number of changes that they report. */
  count: number;
  /** When the first and the last one became pending: they were created, or replayed. */
  oldestAt: number;
  newestAt: number;
}

/** An endpoint that gets messages now: it and its client are enabled. */
export interface Subscriber {
  rowId: number;
  clientId: string;
  mode: Mode;
  referencedOnly: boolean;
  /** Whether the client can read the feed of changes. */
  hasFeed: boolean;
  /** Up to this change, its messages are made. */
  position: number;
  /** The chains of the types that it gets. */
  chains: ReadonlyMap<EventType, Chain>;
  /** The chains of these types with changes that wait. */
  held: readonly HeldChain[];
  /** The time of its last success, in milliseconds since the epoch; null if there was none. */
  lastSuccessAt: number | null;
  /** The pending messages, by type. */
  pending: ReadonlyMap<EventType, PendingMessages>;
}

/** Names a chain of an endpoint. */
interface ChainName {
  subscriber: Subscriber;
  type: EventType;
  /** What has a chain of its own within the type, such as a collection; '' if the type is the chain. */
  subject: string;
  /** The change of the message before. */
  previousSeq: number;
}

/** A message to store. */
export interface NewMessage extends ChainName {
  id: string;
  fromSeq: number;
  seq: number;
  count: number;
  body: string;
}

/** Changes to store that wait for the next message. */
interface NewlyHeld extends ChainName {
  held: HeldChanges;
}

/** What continues a chain. */
export type ChainStep = NewMessage | NewlyHeld;

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

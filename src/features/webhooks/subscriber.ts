import type { ClientMode } from '../../common/caller.ts';
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
export interface Subscriber extends ClientMode {
  rowId: number;
  referencedOnly: boolean;
  /** Whether the client can read the feed of changes. */
  hasFeed: boolean;
  /** Its messages about the changes up to this one are made. */
  position: number;
  /** The chains of the types that it gets. */
  chains: ReadonlyMap<EventType, Chain>;
  /** The chains of these types whose changes wait for the next message. */
  held: readonly HeldChain[];
  /** The time of its last success, in milliseconds since the epoch; null if there was none. */
  lastSuccessAt: number | null;
  pending: ReadonlyMap<EventType, PendingMessages>;
}

interface ChainName {
  subscriber: Subscriber;
  type: EventType;
  /** What has a chain of its own within the type, such as a collection; '' if the type is the chain. */
  subject: string;
  /** The change of the message before. */
  previousSeq: number;
}

export interface NewMessage extends ChainName {
  id: string;
  fromSeq: number;
  seq: number;
  count: number;
  body: string;
}

interface NewlyHeld extends ChainName {
  held: HeldChanges;
}

/** What continues a chain. */
export type ChainStep = NewMessage | NewlyHeld;

/** The next message that can wait is held back for this part of the time since the oldest pending one. */
const HELD_PART = 0.1;
/** The longest time that it is held back if the endpoint accepted another message since then. */
const HELD_IF_RESPONDING_MS = 60_000;

/**
 * Whether new changes wait that one message can report later as well as now. An endpoint that has failed for a day gets
 * the next such message two hours after the last one, so that three days leave about a hundred of them. An endpoint that
 * accepted another message since then works again, and gets it at once, but at most one a minute, because it may refuse
 * only messages of this type.
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

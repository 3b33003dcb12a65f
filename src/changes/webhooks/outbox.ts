import { newSortableId } from '../../common/ids.ts';
import { writeCursor } from '../cursor.ts';
import type { Chain, NewMessage, Subscriber } from './fan-out-store.ts';
import { payloadOf } from './payload.ts';
import type { EventType } from './webhook.ts';

/** With more changes of a type than this, new or not delivered, an endpoint gets one message without them. */
const MOST_CHANGES = 1_000;
/** The most changes of tracks in one message, and the most bytes that they take, of 20 kB for a message. */
const MOST_ITEMS = 50;
const ITEM_BYTES = 19_000;

/** The change of the log that an event reports. */
interface ReportedChange {
  seq: number;
  at: number;
  batchId: string | null;
}

/** An event of one type to one endpoint. */
export interface NewEvent {
  subscriber: Subscriber;
  type: EventType;
  /** As in NewMessage. */
  subject?: string;
  change: ReportedChange;
  /** The members of its item, if several events make one message, or else of `data`. */
  members: object;
  /** Whether several events make one message. */
  isItem?: boolean;
}

/** The new events of one chain. Beyond MOST_CHANGES they are only counted. */
interface Chained {
  subscriber: Subscriber;
  type: EventType;
  subject: string;
  isItem: boolean;
  events: { change: ReportedChange; members: object }[];
  last: { change: ReportedChange; members: object };
  fromSeq: number;
  count: number;
  /** Of all changes; undefined if they have different ones. */
  batchId: string | null | undefined;
}

/** The part of a chain that one message reports. */
type Part = Pick<Chained, 'events' | 'last' | 'fromSeq' | 'count' | 'batchId'>;

/** Collects new events, and makes messages of them. Its size is bounded by the number of endpoints and types. */
export class Outbox {
  readonly #epoch: string;
  readonly #chains = new Map<string, Chained>();
  /** The number of new events by endpoint and type. */
  readonly #counts = new Map<string, number>();

  /** @param epoch of the change log */
  constructor(epoch: string) {
    this.#epoch = epoch;
  }

  /** Adds an event, unless it was before the endpoint began to get the type. */
  add({ subscriber, type, subject = '', change, members, isItem = false }: NewEvent): void {
    const start = subscriber.chains.get(type)?.startSeq;
    if (start === undefined || change.seq <= start) return;
    const ofType = `${subscriber.rowId} ${type}`;
    const count = (this.#counts.get(ofType) ?? 0) + 1;
    this.#counts.set(ofType, count);
    const key = `${ofType} ${subject}`;
    const event = { change, members };
    const chained = this.#chains.get(key);
    if (chained === undefined) {
      this.#chains.set(key, {
        subscriber,
        type,
        subject,
        isItem,
        events: [event],
        last: event,
        fromSeq: change.seq,
        count: 1,
        batchId: change.batchId,
      });
      return;
    }
    if (count <= MOST_CHANGES) chained.events.push(event);
    else chained.events.length = 0;
    if (change.seq > chained.last.change.seq) chained.last = event;
    chained.fromSeq = Math.min(chained.fromSeq, change.seq);
    chained.count++;
    if (chained.batchId !== change.batchId) chained.batchId = undefined;
  }

  /** Whether an endpoint has so many new events of a type that the content of further ones is not sent. */
  isFull({ rowId }: Subscriber, type: EventType): boolean {
    return (this.#counts.get(`${rowId} ${type}`) ?? 0) > MOST_CHANGES;
  }

  /** The subjects that have new events, with the chain of their type. */
  subjects(): { webhookRowId: number; type: EventType; subject: string; chain: Chain }[] {
    return [...this.#chains.values()]
      .filter(({ subject }) => subject !== '')
      .map(({ subscriber: { rowId: webhookRowId, chains }, type, subject }) => {
        return { webhookRowId, type, subject, chain: chains.get(type)! };
      });
  }

  /**
   * Returns the messages in the order of each chain.
   * @param previous the last message of a chain with a subject
   */
  *messages(
    now: number,
    previous: (webhookRowId: number, type: EventType, subject: string) => number,
  ): Generator<NewMessage> {
    for (const chained of this.#chains.values()) {
      chained.events.sort((a, b) => a.change.seq - b.change.seq);
      const { subscriber, type, subject } = chained;
      const isTruncated = this.#isTruncated(chained);
      const parts = isTruncated || !chained.isItem ? [] : inParts(chained);
      if (isTruncated) parts.push(chained);
      else if (!chained.isItem) parts.push(...chained.events.map(partOf));
      let previousSeq =
        subject === ''
          ? subscriber.chains.get(type)!.seq
          : previous(subscriber.rowId, type, subject);
      for (const part of parts) {
        const { seq, at } = part.last.change;
        const { fromSeq, count } = part;
        const range = { mode: subscriber.mode, fromSeq, seq, previousSeq };
        const data = chained.isItem
          ? { ...range, ...this.#itemData(subscriber, part, isTruncated) }
          : eventData(range, part, isTruncated);
        const body = payloadOf(type, at, data);
        const id = newSortableId(now);
        yield { subscriber, id, type, subject, fromSeq, seq, previousSeq, count, body };
        previousSeq = seq;
      }
    }
  }

  #isTruncated({ subscriber, type }: Chained): boolean {
    const count = this.#counts.get(`${subscriber.rowId} ${type}`)!;
    return count + (subscriber.undelivered.get(type) ?? 0) > MOST_CHANGES;
  }

  #itemData({ hasFeed }: Subscriber, part: Part, truncated: boolean): object {
    const { fromSeq, count, batchId = null, events } = part;
    return {
      count,
      truncated,
      ...(hasFeed && { cursor: writeCursor({ epoch: this.#epoch, seq: fromSeq - 1 }) }),
      batchId,
      items: truncated ? [] : events.map(({ members }) => members),
    };
  }
}

/** Returns the data of a message about one change, or about many changes of which only the last is shown. */
function eventData(
  { fromSeq, ...range }: { mode: string; fromSeq: number; seq: number; previousSeq: number },
  { count, last }: Part,
  isTruncated: boolean,
): object {
  return { ...range, ...last.members, ...(isTruncated && { fromSeq, count, truncated: true }) };
}

function partOf(event: Chained['last']): Part {
  const { seq, batchId } = event.change;
  return { events: [event], last: event, fromSeq: seq, count: 1, batchId };
}

/** Divides events into messages that are small enough. */
function inParts({ events }: Chained): Part[] {
  const parts: Part[] = [];
  let bytes = 0;
  for (const event of events) {
    // A comma follows it. Its text is ASCII.
    const size = JSON.stringify(event.members).length + 1;
    const part = parts.at(-1);
    bytes += size;
    if (part === undefined || part.count === MOST_ITEMS || bytes > ITEM_BYTES) {
      parts.push(partOf(event));
      bytes = size;
      continue;
    }
    part.events.push(event);
    part.last = event;
    part.count++;
    if (part.batchId !== event.change.batchId) part.batchId = undefined;
  }
  return parts;
}

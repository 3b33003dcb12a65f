import { newSortableId } from '../../common/ids.ts';
import { writeCursor } from '../../engines/change-log/positions.ts';
import {
  areTooMany,
  type Chain,
  type ChainStep,
  type HeldChanges,
  isHeldBack,
  type Subscriber,
} from './subscriber.ts';
import { type EventType, payloadOf } from './webhook.ts';

/** The most changes of tracks in one message, and the most bytes that they take, of 20 kB for a message. */
const MAX_ITEMS = 50;
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
  /** What has a chain of its own within the type, such as a collection; '' by default. */
  subject?: string;
  change: ReportedChange;
  /** The members of its item, if several events make one message, or else of `data`. */
  members: object;
}

/** An event in its chain. */
interface ChainedEvent {
  change: ReportedChange;
  members: object;
}

/** The new events of one chain. Beyond the most changes of an endpoint, they are only counted. */
interface Chained {
  type: EventType;
  subject: string;
  events: ChainedEvent[];
  last: ChainedEvent;
  fromSeq: number;
  count: number;
  /** Of all changes; undefined if they have different ones. */
  batchId: string | null | undefined;
  /** The last message of the chain, if that is known, and whether changes were held back since then. */
  previousSeq: number | undefined;
  hasHeld: boolean;
  hasNew: boolean;
}

/** The part of a chain that one message reports. */
type Part = Pick<Chained, 'events' | 'last' | 'fromSeq' | 'count' | 'batchId'>;

/** What one endpoint gets. */
interface Endpoint {
  subscriber: Subscriber;
  /** By type and subject. */
  chains: Map<string, Chained>;
  /** The number of new events, also of those that were held back, by type. */
  counts: Map<EventType, number>;
}

/** Returns the last message of a chain with a subject. */
export type PreviousOf = (webhookRowId: number, type: EventType, subject: string) => number;

/** Collects new events, and makes messages of them. Its size is bounded by the number of endpoints and types. */
export class Outbox {
  readonly #epoch: string;
  readonly #endpoints = new Map<number, Endpoint>();

  /** @param epoch of the change log */
  constructor(epoch: string) {
    this.#epoch = epoch;
  }

  /** Adds the changes that were held back. Those of saved searches are of other messages. */
  addHeld(subscriber: Subscriber): void {
    for (const { type, subject, seq: previousSeq, held } of subscriber.held) {
      if (type === 'saved_search.matched') continue;
      const { at, batchId, members, ...range } = held;
      const last = { change: { seq: held.seq, at, batchId: batchId ?? null }, members };
      const { chains, counts } = this.#endpoint(subscriber);
      counts.set(type, (counts.get(type) ?? 0) + held.count);
      chains.set(`${type} ${subject}`, {
        ...{ type, subject, events: [], last, fromSeq: range.fromSeq, count: range.count },
        ...{ batchId, previousSeq, hasHeld: true, hasNew: false },
      });
    }
  }

  /** Adds an event, unless it was before the endpoint began to get the type, or is in a message. */
  add({ subscriber, type, subject = '', change, members }: NewEvent): void {
    const chain = subscriber.chains.get(type);
    if (chain === undefined || change.seq <= Math.max(chain.startSeq, subscriber.position)) return;
    const { chains, counts } = this.#endpoint(subscriber);
    counts.set(type, (counts.get(type) ?? 0) + 1);
    const key = `${type} ${subject}`;
    const event = { change, members };
    const chained = chains.get(key);
    if (chained === undefined) {
      const { seq: fromSeq, batchId } = change;
      const previousSeq = subject === '' ? chain.seq : undefined;
      chains.set(key, {
        ...{ type, subject, events: [event], last: event, fromSeq, count: 1, batchId },
        ...{ previousSeq, hasHeld: false, hasNew: true },
      });
      return;
    }
    if (chained.hasHeld || this.isFull(subscriber, type)) chained.events.length = 0;
    else chained.events.push(event);
    if (change.seq > chained.last.change.seq) chained.last = event;
    chained.fromSeq = Math.min(chained.fromSeq, change.seq);
    chained.count++;
    chained.hasNew = true;
    if (chained.batchId !== change.batchId) chained.batchId = undefined;
  }

  /** Whether an endpoint has so many new events of a type that the content of further ones is not sent. */
  isFull({ rowId, pending }: Subscriber, type: EventType): boolean {
    const newChanges = this.#endpoints.get(rowId)?.counts.get(type) ?? 0;
    return areTooMany(newChanges, pending.get(type));
  }

  /** The subjects that have new events and whose last message is not known, with the chain of their type. */
  subjects(): { webhookRowId: number; type: EventType; subject: string; chain: Chain }[] {
    return [...this.#endpoints.values()].flatMap(({ subscriber, chains }) =>
      [...chains.values()]
        .filter(({ previousSeq }) => previousSeq === undefined)
        .map(({ type, subject }) => {
          const chain = subscriber.chains.get(type)!;
          return { webhookRowId: subscriber.rowId, type, subject, chain };
        }),
    );
  }

  /** Yields what each endpoint gets, in the order of each chain. */
  *steps(
    now: number,
    previousOf: PreviousOf,
  ): Generator<{ subscriber: Subscriber; steps: ChainStep[] }> {
    for (const endpoint of this.#endpoints.values()) {
      const { subscriber, chains } = endpoint;
      const steps = [...chains.values()].flatMap((chained) => [
        ...this.#stepsOf(subscriber, chained, now, previousOf),
      ]);
      if (steps.length > 0) yield { subscriber, steps };
    }
  }

  *#stepsOf(
    subscriber: Subscriber,
    chained: Chained,
    now: number,
    previousOf: PreviousOf,
  ): Generator<ChainStep> {
    const { type, subject, hasHeld, hasNew } = chained;
    chained.events.sort((a, b) => a.change.seq - b.change.seq);
    let previousSeq = chained.previousSeq ?? previousOf(subscriber.rowId, type, subject);
    const isTruncated = hasHeld || this.isFull(subscriber, type);
    if (isTruncated && isHeldBack(subscriber, type, now)) {
      if (hasNew) yield { subscriber, type, subject, previousSeq, held: heldOf(chained) };
      return;
    }
    for (const part of partsOf(chained, isTruncated)) {
      const { seq, at } = part.last.change;
      const { fromSeq, count } = part;
      const range = { mode: subscriber.mode, fromSeq, seq, previousSeq };
      const data = hasItems(type)
        ? { ...range, ...this.#itemData(subscriber, part, isTruncated) }
        : eventData(range, part, isTruncated);
      const body = payloadOf(type, at, data);
      const id = newSortableId(now);
      yield { subscriber, id, type, subject, fromSeq, seq, previousSeq, count, body };
      previousSeq = seq;
    }
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

  #endpoint(subscriber: Subscriber): Endpoint {
    const { rowId } = subscriber;
    const known = this.#endpoints.get(rowId);
    if (known !== undefined) return known;
    const endpoint = { subscriber, chains: new Map(), counts: new Map() };
    this.#endpoints.set(rowId, endpoint);
    return endpoint;
  }
}

/** Whether a message of the type has several events, as items. */
function hasItems(type: EventType): boolean {
  return type.startsWith('track.');
}

/** Returns the data of a message about one change, or about many changes of which only the last is shown. */
function eventData(
  { fromSeq, ...range }: { mode: string; fromSeq: number; seq: number; previousSeq: number },
  { count, last }: Part,
  isTruncated: boolean,
): object {
  return { ...range, ...last.members, ...(isTruncated && { fromSeq, count, truncated: true }) };
}

function heldOf({ type, last, fromSeq, count, batchId }: Chained): HeldChanges {
  const { seq, at } = last.change;
  return { fromSeq, seq, at, count, batchId, members: hasItems(type) ? {} : last.members };
}

/** Divides the events of a chain into those of each message. */
function partsOf(chained: Chained, isTruncated: boolean): Part[] {
  if (isTruncated) return [chained];
  return hasItems(chained.type) ? inParts(chained) : chained.events.map(partOf);
}

function partOf(event: ChainedEvent): Part {
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
    if (part === undefined || part.count === MAX_ITEMS || bytes > ITEM_BYTES) {
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

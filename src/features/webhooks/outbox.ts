import { newSortableId } from '../../common/ids.ts';
import type { Change } from '../../engines/change-log/change-log.ts';
import { writeCursor } from '../../engines/change-log/positions.ts';
import {
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

/** With more changes of a type than this, new or not delivered, an endpoint gets one message without them. */
const MAX_CHANGES = 1_000;

interface Event {
  change: Pick<Change, 'seq' | 'at' | 'batchId'>;
  /** The members of its item, if several events make one message, or else of `data`. */
  members: object;
}

interface NewEvent extends Event {
  subscriber: Subscriber;
  type: EventType;
  /** What has a chain of its own within the type, such as a collection; '' by default. */
  subject?: string;
}

/** Events that one message can report. */
interface Part {
  events: Event[];
  last: Event;
  fromSeq: number;
  count: number;
  /** The batch of all changes; undefined if they have different ones. */
  batchId: string | null | undefined;
}

/** The new events of one chain. If there are more than MAX_CHANGES, they are only counted. */
interface NewEvents extends Part {
  type: EventType;
  subject: string;
  /** The last message of the chain; undefined if that is not known. */
  previousSeq: number | undefined;
  /** Whether changes were held back since the last message. */
  hasHeld: boolean;
  hasNew: boolean;
}

interface Endpoint {
  subscriber: Subscriber;
  /** By type and subject. */
  chains: Map<string, NewEvents>;
  /** The number of events by type, with the changes that were held back. */
  counts: Map<EventType, number>;
}

interface SubjectChain {
  webhookRowId: number;
  type: EventType;
  subject: string;
}

/** Collects new events and makes messages of them. The number of endpoints and types bounds its size. */
export class Outbox {
  readonly #epoch: string;
  readonly #endpoints = new Map<number, Endpoint>();

  /** @param epoch the epoch of the change log */
  constructor(epoch: string) {
    this.#epoch = epoch;
  }

  /** Adds the changes that were held back, except the matches of saved searches (saved-search-matches.ts). */
  addHeld(subscriber: Subscriber): void {
    for (const { type, subject, seq: previousSeq, held } of subscriber.held) {
      if (type === 'saved_search.matched') continue;
      const { fromSeq, seq, at, count, batchId, members } = held;
      const last = { change: { seq, at, batchId: batchId ?? null }, members };
      const { chains, counts } = this.#endpoint(subscriber);
      counts.set(type, (counts.get(type) ?? 0) + count);
      chains.set(`${type} ${subject}`, {
        ...{ type, subject, events: [], last, fromSeq, count },
        ...{ batchId, previousSeq, hasHeld: true, hasNew: false },
      });
    }
  }

  /** Adds an event, unless the change was before the endpoint began to get the type, or is in a message. */
  add({ subscriber, type, subject = '', change, members }: NewEvent): void {
    const chain = subscriber.chains.get(type);
    if (chain === undefined || change.seq <= Math.max(chain.startSeq, subscriber.position)) return;
    const { chains, counts } = this.#endpoint(subscriber);
    counts.set(type, (counts.get(type) ?? 0) + 1);
    const key = `${type} ${subject}`;
    const event = { change, members };
    const known = chains.get(key);
    if (known === undefined) {
      const { seq: fromSeq, batchId } = change;
      const previousSeq = subject === '' ? chain.seq : undefined;
      chains.set(key, {
        ...{ type, subject, events: [event], last: event, fromSeq, count: 1, batchId },
        ...{ previousSeq, hasHeld: false, hasNew: true },
      });
      return;
    }
    if (known.hasHeld || this.isFull(subscriber, type)) known.events.length = 0;
    else known.events.push(event);
    if (change.seq > known.last.change.seq) known.last = event;
    known.fromSeq = Math.min(known.fromSeq, change.seq);
    known.count++;
    known.hasNew = true;
    if (known.batchId !== change.batchId) known.batchId = undefined;
  }

  /** Whether an endpoint has so many new events of a type that the content of further ones is not sent. */
  isFull({ rowId, pending }: Subscriber, type: EventType): boolean {
    const newChanges = this.#endpoints.get(rowId)?.counts.get(type) ?? 0;
    return newChanges + (pending.get(type)?.count ?? 0) > MAX_CHANGES;
  }

  /** The chains whose last message is not known, with the chain of their type. Each needs `setPrevious`. */
  subjects(): (SubjectChain & { chain: Chain })[] {
    return [...this.#endpoints.values()].flatMap(({ subscriber, chains }) =>
      [...chains.values()]
        .filter(({ previousSeq }) => previousSeq === undefined)
        .map(({ type, subject }) => {
          const chain = subscriber.chains.get(type)!;
          return { webhookRowId: subscriber.rowId, type, subject, chain };
        }),
    );
  }

  /** Sets the last message of one of `subjects`. */
  setPrevious({ webhookRowId, type, subject }: SubjectChain, seq: number): void {
    this.#endpoints.get(webhookRowId)!.chains.get(`${type} ${subject}`)!.previousSeq = seq;
  }

  /** Yields what each endpoint gets, in the order of each chain. */
  *steps(now: number): Generator<{ subscriber: Subscriber; steps: ChainStep[] }> {
    for (const { subscriber, chains } of this.#endpoints.values()) {
      const steps = [...chains.values()].flatMap((chain) => [
        ...this.#stepsOf(subscriber, chain, now),
      ]);
      if (steps.length > 0) yield { subscriber, steps };
    }
  }

  *#stepsOf(subscriber: Subscriber, chain: NewEvents, now: number): Generator<ChainStep> {
    const { type, subject, hasHeld, hasNew } = chain;
    const { mode } = subscriber;
    chain.events.sort((a, b) => a.change.seq - b.change.seq);
    let previousSeq = chain.previousSeq!;
    const isTruncated = hasHeld || this.isFull(subscriber, type);
    if (isTruncated && isHeldBack(subscriber, type, now)) {
      if (hasNew) yield { subscriber, type, subject, previousSeq, held: heldOf(chain) };
      return;
    }
    for (const part of partsOf(chain, isTruncated)) {
      const { fromSeq, count, last } = part;
      const { seq, at } = last.change;
      const range = { fromSeq, count, truncated: true };
      const data = hasItems(type)
        ? { mode, fromSeq, seq, previousSeq, ...this.#itemData(subscriber, part, isTruncated) }
        : { mode, seq, previousSeq, ...last.members, ...(isTruncated && range) };
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

function heldOf({ type, last, fromSeq, count, batchId }: NewEvents): HeldChanges {
  const { seq, at } = last.change;
  return { fromSeq, seq, at, count, batchId, members: hasItems(type) ? {} : last.members };
}

/** Returns a part for each message. */
function partsOf(chain: NewEvents, isTruncated: boolean): Part[] {
  if (isTruncated) return [chain];
  return hasItems(chain.type) ? inParts(chain.events) : chain.events.map(partOf);
}

function partOf(event: Event): Part {
  const { seq, batchId } = event.change;
  return { events: [event], last: event, fromSeq: seq, count: 1, batchId };
}

/** Divides events into parts of at most MAX_ITEMS and ITEM_BYTES. */
function inParts(events: readonly Event[]): Part[] {
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

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../common/clock.ts';
import type { ChangeEntity, ChangeLog } from '../../engines/change-log/change-log.ts';
import type { LogPosition } from '../../engines/change-log/positions.ts';
import { EVENT_SOURCES } from './events.ts';
import { Outbox, type PreviousOf } from './outbox.ts';
import type { SavedSearchMatches } from './saved-search-matches.ts';
import type { FanOutStore } from './store/fan-out-store.ts';
import type { Chain, ChainStep, Subscriber } from './subscriber.ts';

/** The rows of the log that are read at once. */
const PAGE = 1_000;
/** The messages that are stored in one transaction, unless one endpoint has more. They have up to 20 kB each. */
const STORED_AT_ONCE = 100;

const ENTITIES = Object.keys(EVENT_SOURCES) as ChangeEntity[];

/** The log, as far as it is needed here. */
type Log = Pick<ChangeLog, 'since' | 'bounds'>;

/** Turns the changes of the log into messages to endpoints, each change once. */
export class FanOut {
  readonly #log: Log;
  readonly #store: FanOutStore;
  readonly #matches: SavedSearchMatches;
  readonly #clock: Clock;
  /** The value of performance.now() when the first run began since the last one that was whole; undefined if that has ended. */
  #behindSince: number | undefined;

  constructor({
    log,
    store,
    matches,
    clock,
  }: {
    log: Log;
    store: FanOutStore;
    matches: SavedSearchMatches;
    clock: Clock;
  }) {
    this.#log = log;
    this.#store = store;
    this.#matches = matches;
    this.#clock = clock;
  }

  /**
   * The milliseconds since the first run began that did not make all messages of what was new then, whatever failed; 0 if
   * the last run did. To be called between runs, or during one that takes long.
   */
  get behindMs(): number {
    return this.#behindSince === undefined ? 0 : performance.now() - this.#behindSince;
  }

  /** Discards the messages of another history of the log. To be called before anything is sent. */
  async begin(signal?: AbortSignal): Promise<void> {
    const { epoch, head } = await this.#log.bounds();
    const from = await this.#store.position();
    if (epoch !== null && from?.epoch !== epoch) {
      await this.#store.begin({ epoch, seq: head }, signal);
    }
  }

  /**
   * Makes messages of all changes that are in the log now, and of the new tracks of saved searches.
   * @param signal ends this soon. What is not stored then is made the next time
   */
  async run(signal?: AbortSignal): Promise<void> {
    // Before all that may fail. Until a whole run, nobody knows what is new.
    this.#behindSince ??= performance.now();
    if (await this.#runOnce(signal)) this.#behindSince = undefined;
  }

  /** Returns whether all messages are made. */
  async #runOnce(signal?: AbortSignal): Promise<boolean> {
    // The end of the log is read before the endpoints: each that began before it is found then.
    const { epoch, head } = await this.#log.bounds();
    if (epoch === null) return true;
    const from = await this.#store.position();
    if (from?.epoch !== epoch) {
      await this.begin(signal);
      return signal?.aborted !== true;
    }
    const subscribers = await this.#store.subscribers();
    const outbox = new Outbox(epoch);
    for (const subscriber of subscribers) outbox.addHeld(subscriber);
    if (subscribers.length > 0) await this.#collect(outbox, subscribers, from, head, signal);
    if (signal?.aborted || !(await this.#add(outbox, from, head, signal))) return false;
    if (from.seq < head && !(await this.#store.move(from, head))) return false;
    await this.#matches.run(epoch, subscribers, signal);
    return signal?.aborted !== true;
  }

  async #collect(
    outbox: Outbox,
    subscribers: readonly Subscriber[],
    from: LogPosition,
    head: number,
    signal?: AbortSignal,
  ): Promise<void> {
    const context = { store: this.#store, subscribers, outbox };
    for (let seq = Math.max(from.seq, firstNeeded(subscribers)); seq < head && !signal?.aborted; ) {
      const page = await this.#log.since(seq, ENTITIES, PAGE);
      // Later changes are for the next time, because endpoints may have begun before them.
      const changes = page.filter((change) => change.seq <= head);
      for (const [entity, found] of Map.groupBy(changes, ({ entity: one }) => one)) {
        await EVENT_SOURCES[entity]?.(found, context);
      }
      seq = page.length < PAGE ? head : page.at(-1)!.seq;
      await nextTurn();
    }
  }

  /** Stores the messages in several transactions. Returns whether all endpoints have theirs now. */
  async #add(
    outbox: Outbox,
    from: LogPosition,
    head: number,
    signal?: AbortSignal,
  ): Promise<boolean> {
    let isComplete = true;
    let some: { subscriber: Subscriber; steps: ChainStep[] }[] = [];
    let count = 0;
    const store = async () => {
      if (some.length === 0) return;
      const isStored = await this.#store.append(from, head, some);
      isComplete &&= isStored;
      [some, count] = [[], 0];
      await nextTurn();
    };
    for (const one of outbox.steps(this.#clock.now(), await this.#previousOf(outbox))) {
      if (signal?.aborted) return false;
      some.push(one);
      count += one.steps.length;
      if (count >= STORED_AT_ONCE) await store();
    }
    await store();
    return isComplete;
  }

  async #previousOf(outbox: Outbox): Promise<PreviousOf> {
    const subjects = outbox.subjects();
    const stored = await this.#store.subjectChains(subjects);
    const begun = subjects.filter((_, i) => stored[i] === undefined);
    const collections = [...new Set(begun.map(({ subject }) => subject))];
    const creations = new Map<string, number>();
    for (let i = 0; i < collections.length; i += PAGE) {
      const some = await this.#store.collectionCreations(collections.slice(i, i + PAGE));
      for (const [id, seq] of some) creations.set(id, seq);
    }
    const known = new Map<string, number>();
    const keyOf = (...parts: readonly (string | number)[]) => parts.join(' ');
    for (const [i, { webhookRowId, type, subject, chain }] of subjects.entries()) {
      const seq = stored[i] ?? beginOf(chain, creations.get(subject));
      known.set(keyOf(webhookRowId, type, subject), seq);
    }
    return (...key) => known.get(keyOf(...key))!;
  }
}

/** Returns what the first message of a collection names as the one before. */
function beginOf({ startSeq, seq }: Chain, createdSeq: number | undefined): number {
  // The chain of a later collection begins where the log was before it was created.
  return createdSeq !== undefined && createdSeq > startSeq ? createdSeq - 1 : seq;
}

/** Returns a position up to which no endpoint is to be told of changes: all have begun, or got messages, after it. */
function firstNeeded(subscribers: readonly Subscriber[]): number {
  let first = Number.POSITIVE_INFINITY;
  for (const { position, chains } of subscribers) {
    for (const { startSeq } of chains.values()) {
      first = Math.min(first, Math.max(startSeq, position));
    }
  }
  return first;
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../common/clock.ts';
import type { ChangeEntity, ChangeLog } from '../../engines/change-log/change-log.ts';
import type { LogPosition } from '../../engines/change-log/positions.ts';
import { EVENT_SOURCES } from './events.ts';
import { Outbox } from './outbox.ts';
import type { SavedSearchMatches } from './saved-search-matches.ts';
import type { FanOutStore } from './store/fan-out-store.ts';
import type { Chain, ChainStep, Subscriber } from './subscriber.ts';

/** The rows of the log in one query. */
const PAGE = 1_000;
/** The messages of one transaction, unless one endpoint has more. A message has up to 20 kB. */
const STORED_AT_ONCE = 100;

const ENTITIES = Object.keys(EVENT_SOURCES) as ChangeEntity[];

/** Turns the changes of the log into messages to endpoints, each change once. */
export class FanOut {
  readonly #log: ChangeLog;
  readonly #store: FanOutStore;
  readonly #matches: SavedSearchMatches;
  readonly #clock: Clock;
  /** The value of performance.now() at the start of the first run since the last complete one; undefined after a complete run. */
  #behindSince: number | undefined;

  constructor(deps: {
    log: ChangeLog;
    store: FanOutStore;
    matches: SavedSearchMatches;
    clock: Clock;
  }) {
    this.#log = deps.log;
    this.#store = deps.store;
    this.#matches = deps.matches;
    this.#clock = deps.clock;
  }

  /**
   * The milliseconds since the start of the first incomplete run after the last complete one; 0 if the last run was
   * complete. A run that is at work counts as incomplete.
   */
  get behindMs(): number {
    return this.#behindSince === undefined ? 0 : performance.now() - this.#behindSince;
  }

  /** Discards the messages of another history of the log. Call it before anything is sent. */
  async begin(signal?: AbortSignal): Promise<void> {
    const { epoch, head } = await this.#log.bounds();
    const from = await this.#store.position();
    if (epoch !== null && from?.epoch !== epoch) {
      await this.#store.begin({ epoch, seq: head }, signal);
    }
  }

  /**
   * Makes messages of all changes that are in the log now, and of the new tracks of saved searches.
   * @param signal ends the run early. The next run makes what is missing then
   */
  async run(signal?: AbortSignal): Promise<void> {
    // Before all that may fail: only a complete run shows that nothing is new.
    this.#behindSince ??= performance.now();
    if (await this.#runOnce(signal)) this.#behindSince = undefined;
  }

  /** Returns whether all messages are made. */
  async #runOnce(signal?: AbortSignal): Promise<boolean> {
    // The end of the log is read before the endpoints, so that every endpoint that began before it is found.
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
      // Later changes are left to the next run, because endpoints may have begun before them.
      const changes = page.filter((change) => change.seq <= head);
      for (const [entity, found] of Map.groupBy(changes, ({ entity: one }) => one)) {
        await EVENT_SOURCES[entity]?.(found, context);
      }
      seq = page.length < PAGE ? head : page.at(-1)!.seq;
      await nextTurn();
    }
  }

  /** Stores the messages in several transactions. Returns whether the messages of all endpoints are stored. */
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
    await this.#setPrevious(outbox);
    for (const one of outbox.steps(this.#clock.now())) {
      if (signal?.aborted) return false;
      some.push(one);
      count += one.steps.length;
      if (count >= STORED_AT_ONCE) await store();
    }
    await store();
    return isComplete;
  }

  /** Finds the last message of each chain with a subject. */
  async #setPrevious(outbox: Outbox): Promise<void> {
    const subjects = outbox.subjects();
    const stored = await this.#store.subjectChains(subjects);
    const begun = subjects.filter((_, i) => stored[i] === undefined);
    const collections = [...new Set(begun.map(({ subject }) => subject))];
    const creations = new Map<string, number>();
    for (let i = 0; i < collections.length; i += PAGE) {
      const some = await this.#store.collectionCreations(collections.slice(i, i + PAGE));
      for (const [id, seq] of some) creations.set(id, seq);
    }
    for (const [i, one] of subjects.entries()) {
      outbox.setPrevious(one, stored[i] ?? beginOf(one.chain, creations.get(one.subject)));
    }
  }
}

/** Returns `previousSeq` of the first message of a collection. */
function beginOf({ startSeq, seq }: Chain, createdSeq: number | undefined): number {
  // The chain of a later collection begins before the change that created it.
  return createdSeq !== undefined && createdSeq > startSeq ? createdSeq - 1 : seq;
}

/** Returns a position up to which no endpoint needs changes: each began, or has its messages, after it. */
function firstNeeded(subscribers: readonly Subscriber[]): number {
  let first = Number.POSITIVE_INFINITY;
  for (const { position, chains } of subscribers) {
    for (const { startSeq } of chains.values()) {
      first = Math.min(first, Math.max(startSeq, position));
    }
  }
  return first;
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../common/clock.ts';
import type { ChangeEntity, ChangeLog } from '../change-log.ts';
import type { LogPosition } from '../cursor.ts';
import { EVENT_SOURCES } from './events.ts';
import type { ChainStep, FanOutStore, Subscriber } from './fan-out-store.ts';
import { Outbox, type PreviousOf } from './outbox.ts';
import type { SavedSearchMatches } from './saved-search-matches.ts';

/** The rows of the log that are read at once. */
const PAGE = 1_000;
/** The messages that are stored in one transaction, unless one endpoint has more. They have up to 20 kB each. */
const STORED_AT_ONCE = 20;

const ENTITIES = Object.keys(EVENT_SOURCES) as ChangeEntity[];

/** The log, as far as it is needed here. */
type Log = Pick<ChangeLog, 'since' | 'latest' | 'bounds'>;

/** Turns the changes of the log into messages to endpoints, each change once. */
export class FanOut {
  readonly #log: Log;
  readonly #store: FanOutStore;
  readonly #matches: SavedSearchMatches;
  readonly #clock: Clock;
  /** The value of performance.now() when changes were first seen that are not messages yet; undefined if none are. */
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

  /** The milliseconds since the first change was seen that has not become messages yet; 0 if there is none. */
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
    // The end of the log is read before the endpoints: each that began before it is found then.
    const { epoch, head } = await this.#log.bounds();
    if (epoch === null) return;
    const from = await this.#store.position();
    if (from?.epoch !== epoch) return this.begin(signal);
    const subscribers = await this.#store.subscribers();
    if (from.seq >= head) this.#behindSince = undefined;
    else this.#behindSince ??= performance.now();
    const outbox = new Outbox(epoch);
    for (const subscriber of subscribers) outbox.addHeld(subscriber);
    if (subscribers.length > 0) await this.#collect(outbox, subscribers, from, head, signal);
    if (signal?.aborted || !(await this.#add(outbox, from, head, signal))) return;
    if (from.seq < head && !(await this.#store.move(from, head))) return;
    this.#behindSince = undefined;
    await this.#matches.run(epoch, subscribers, signal);
  }

  async #collect(
    outbox: Outbox,
    subscribers: readonly Subscriber[],
    from: LogPosition,
    head: number,
    signal?: AbortSignal,
  ): Promise<void> {
    const context = { store: this.#store, subscribers, outbox };
    for (let seq = from.seq; seq < head && !signal?.aborted; ) {
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
    const known = new Map<string, number>();
    const keyOf = (...parts: readonly (string | number)[]) => parts.join(' ');
    for (const [i, { webhookRowId, type, subject, chain }] of subjects.entries()) {
      const seq = stored[i] ?? (await this.#beginOf(subject, chain));
      known.set(keyOf(webhookRowId, type, subject), seq);
    }
    return (...key) => known.get(keyOf(...key))!;
  }

  /** Returns what the first message of a subject names as the one before. */
  async #beginOf(entityId: string, { startSeq, seq }: { startSeq: number; seq: number }) {
    const filter = { entity: 'collection', entityId, kind: 'created' } as const;
    const [created] = await this.#log.latest(1, filter);
    // The chain of a later collection begins where the log was before it was created.
    return created !== undefined && created.seq > startSeq ? created.seq - 1 : seq;
  }
}

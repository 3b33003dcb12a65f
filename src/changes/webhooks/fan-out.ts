import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../common/clock.ts';
import type { ChangeEntity, ChangeLog } from '../change-log.ts';
import type { LogPosition } from '../cursor.ts';
import { EVENT_SOURCES } from './events.ts';
import type { FanOutStore, NewMessage } from './fan-out-store.ts';
import { Outbox } from './outbox.ts';

/** The rows of the log that are read at once. */
const PAGE = 1_000;

const ENTITIES = Object.keys(EVENT_SOURCES) as ChangeEntity[];

/** Turns the changes of the log into messages to endpoints, each change once. */
export class FanOut {
  readonly #log: Pick<ChangeLog, 'since' | 'latest' | 'bounds'>;
  readonly #store: FanOutStore;
  readonly #clock: Clock;
  /** The value of performance.now() when changes were first seen that are not messages yet; undefined if none are. */
  #behindSince: number | undefined;

  constructor({
    log,
    store,
    clock,
  }: {
    log: Pick<ChangeLog, 'since' | 'latest' | 'bounds'>;
    store: FanOutStore;
    clock: Clock;
  }) {
    this.#log = log;
    this.#store = store;
    this.#clock = clock;
  }

  /** The milliseconds since the first change was seen that has not become messages yet; 0 if there is none. */
  get behindMs(): number {
    return this.#behindSince === undefined ? 0 : performance.now() - this.#behindSince;
  }

  /**
   * Makes messages of all changes that are in the log now.
   * @param signal ends this before anything is stored
   */
  async run(signal?: AbortSignal): Promise<void> {
    // The end of the log is read before the endpoints: each that began before it is found then.
    const { epoch, head } = await this.#log.bounds();
    if (epoch === null) return;
    const from = await this.#store.position();
    if (from?.epoch !== epoch) return this.#store.begin({ epoch, seq: head });
    if (from.seq >= head) {
      this.#behindSince = undefined;
      return;
    }
    this.#behindSince ??= performance.now();
    const outbox = await this.#collect(from, head, signal);
    if (signal?.aborted) return;
    const isDone = await this.#store.append(from, head, await this.#messages(outbox));
    if (isDone) this.#behindSince = undefined;
  }

  async #collect(from: LogPosition, head: number, signal?: AbortSignal): Promise<Outbox> {
    const outbox = new Outbox(from.epoch);
    const subscribers = await this.#store.subscribers();
    if (subscribers.length === 0) return outbox;
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
    return outbox;
  }

  async #messages(outbox: Outbox): Promise<NewMessage[]> {
    const subjects = outbox.subjects();
    const stored = await this.#store.subjectChains(subjects);
    const known = new Map<string, number>();
    const keyOf = (...parts: readonly (string | number)[]) => parts.join(' ');
    for (const [i, { webhookRowId, type, subject, chain }] of subjects.entries()) {
      const seq = stored[i] ?? (await this.#beginOf(subject, chain));
      known.set(keyOf(webhookRowId, type, subject), seq);
    }
    return [...outbox.messages(this.#clock.now(), (...key) => known.get(keyOf(...key))!)];
  }

  /** Returns what the first message of a subject names as the one before. */
  async #beginOf(entityId: string, { startSeq, seq }: { startSeq: number; seq: number }) {
    const filter = { entity: 'collection', entityId, kind: 'created' } as const;
    const [created] = await this.#log.latest(1, filter);
    // The chain of a later collection begins where the log was before it was created.
    return created !== undefined && created.seq > startSeq ? created.seq - 1 : seq;
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Change, ChangeEntity, ChangeLog } from './change-log.ts';

export interface FollowerOptions {
  log: Pick<ChangeLog, 'since' | 'head'>;
  entities: readonly ChangeEntity[];
  /** The `seq` up to which the view is current. Read the head first, and then the data. */
  from: number;
  /**
   * Applies changes, in order. `head` is a `seq` that was committed before they were read. After an error, it
   * may be called with the same changes again. Calls never overlap. May return a later `seq`, if it has also
   * applied all changes up to there.
   */
  apply: (changes: readonly Change[], head: number) => Promise<number> | Promise<void>;
  /** The interval of the polls, in milliseconds. Default: 100. */
  pollMs?: number;
  /** The `watch` of the log. If it is given, a commit triggers a poll at once, and the interval is a fallback. */
  watch?: ChangeLog['watch'];
  /** The greatest number of changes of one call of `apply`. */
  batchSize?: number;
  /** Called for each error while reading or applying. The next poll tries the same changes again. */
  onError: (error: unknown) => void;
}

/** The store has lost commits that were applied here, for example in a failover to a replica that lagged. */
class LogWentBack extends Error {
  constructor(head: number, position: number) {
    super(
      `The change log ends at ${head}, before ${position}, which this node has seen: the database has ` +
        'lost acknowledged changes. Restart every node.',
    );
    this.name = 'LogWentBack';
  }
}

/** The delay between a notification and the poll that it triggers, so that many notifications trigger one poll. */
const WAKE_MS = 5;

/**
 * Reads the change log to its end at an interval, and skips nothing: its position advances only after `apply`
 * has succeeded. Commits become visible in the order of `seq` (ARCHITECTURE.md, Invariants), so only changes
 * after a known head can be new.
 */
export class Follower {
  readonly #options: Required<Omit<FollowerOptions, 'watch'>> & Pick<FollowerOptions, 'watch'>;
  #position: number;
  #head: number;
  #running: Promise<unknown> = Promise.resolve();
  /** The poll that has not begun yet. */
  #next: Promise<boolean> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #nextAt = Number.POSITIVE_INFINITY;
  #state: 'new' | 'started' | 'stopped' = 'new';
  #unwatch: (() => void) | undefined;
  /** The value of performance.now() when the end of the log was last read. */
  #confirmedAt = performance.now();
  /** The value of performance.now() when a batch was last applied. */
  #movedAt = performance.now();
  /** The value of performance.now() when changes were first seen that are not applied yet; undefined if none are. */
  #behindSince: number | undefined;
  /** The value of performance.now() when the present batch began; undefined if there is none. */
  #applyingSince: number | undefined;
  #waiting: { seq: number; resolve: () => void; reject: (error: Error) => void }[] = [];

  constructor(options: FollowerOptions) {
    this.#options = { pollMs: 100, batchSize: 1_000, ...options };
    this.#position = options.from;
    this.#head = options.from;
  }

  /** The `seq` up to which every change has been applied, including those of other entities. */
  get position(): number {
    return this.#position;
  }

  /** The distance from the position to the head at the last poll, in `seq`. */
  get lag(): number {
    return Math.max(0, this.#head - this.#position);
  }

  /** The milliseconds since the first change was seen that is not applied yet; 0 if every change is applied. */
  get behindMs(): number {
    return this.#behindSince === undefined ? 0 : performance.now() - this.#behindSince;
  }

  /** The milliseconds since the end of the log was last read, or since the follower was made. */
  get unconfirmedMs(): number {
    return performance.now() - this.#confirmedAt;
  }

  /**
   * The milliseconds without progress: the time since the end of the log was read or a batch was applied,
   * without the time of the present batch. Unlike `unconfirmedMs`, it stays small while many changes are
   * applied, and grows if the log cannot be read or a batch keeps failing.
   */
  get stalledMs(): number {
    const until = this.#applyingSince ?? performance.now();
    return Math.max(0, until - Math.max(this.#confirmedAt, this.#movedAt));
  }

  /** Starts polling, the first time at once. The timers do not keep the process alive. */
  start(): void {
    if (this.#state === 'new') {
      this.#state = 'started';
      this.#unwatch = this.#options.watch?.(() => this.#pollIn(WAKE_MS));
      this.#pollIn(0);
    }
  }

  /** Stops polling. Resolves after the present poll, which ends after its batch. */
  async stop(): Promise<void> {
    this.#state = 'stopped';
    this.#unwatch?.();
    clearTimeout(this.#timer);
    await this.#running;
    for (const { reject } of this.#waiting.splice(0)) {
      reject(new Error('The follower was stopped'));
    }
  }

  /**
   * Reads the log to its end, after the present poll if there is one. Calls before it begins share it.
   * Returns whether anything was applied. Errors go to `onError`; the promise rejects only if `onError`
   * throws.
   */
  poll(): Promise<boolean> {
    if (this.#next === undefined) {
      const poll = this.#running.then(() => {
        this.#next = undefined;
        return this.#readToEnd();
      });
      this.#next = poll;
      this.#running = poll.catch(() => {});
    }
    return this.#next;
  }

  /** Resolves when everything up to `seq` has been applied. Rejects if the follower is stopped before. */
  caughtUp(seq: number): Promise<void> {
    if (this.#position >= seq) {
      return Promise.resolve();
    }
    if (this.#state === 'stopped') {
      return Promise.reject(new Error('The follower was stopped'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ seq, resolve, reject });
    });
  }

  /** Schedules the next poll, unless an earlier one is scheduled. */
  #pollIn(ms: number): void {
    const at = performance.now() + ms;
    if (this.#state !== 'started' || at >= this.#nextAt) return;
    clearTimeout(this.#timer);
    this.#nextAt = at;
    this.#timer = setTimeout(async () => {
      this.#nextAt = Number.POSITIVE_INFINITY;
      await this.poll();
      this.#pollIn(this.#options.pollMs);
    }, ms);
    this.#timer.unref();
  }

  async #readToEnd(): Promise<boolean> {
    const { log, entities, batchSize, apply, onError } = this.#options;
    let applied = false;
    try {
      const askedAt = performance.now();
      const head = await log.head();
      // Such a log confirms nothing: applied changes may be lost, and their numbers are used again.
      if (head < this.#position) throw new LogWentBack(head, this.#position);
      this.#head = head;
      if (head === this.#position) this.#confirmedAt = askedAt;
      else this.#behindSince ??= askedAt;
      while (this.#position < this.#head && this.#state !== 'stopped') {
        const changes = await log.since(this.#position, entities, batchSize);
        let end = changes.at(-1)?.seq ?? this.#position;
        if (changes.length > 0) {
          this.#applyingSince = performance.now();
          const reached = await apply(changes, this.#head).finally(() => {
            this.#applyingSince = undefined;
          });
          end = Math.max(end, reached ?? 0);
          this.#movedAt = performance.now();
          applied = true;
        }
        // A batch that is not full reaches the end of the log, so there is no other change of these entities
        // up to the head.
        this.#moveTo(changes.length < batchSize ? Math.max(end, this.#head) : end);
        // A store in this process may respond without returning to the event loop, which requests need.
        await nextTurn();
        if (this.#position >= this.#head) this.#confirmedAt = askedAt;
      }
    } catch (error) {
      onError(error);
    }
    return applied;
  }

  #moveTo(position: number): void {
    this.#position = position;
    if (position >= this.#head) this.#behindSince = undefined;
    for (const waiting of this.#waiting.filter(({ seq }) => seq <= position)) {
      waiting.resolve();
    }
    this.#waiting = this.#waiting.filter(({ seq }) => seq > position);
  }
}

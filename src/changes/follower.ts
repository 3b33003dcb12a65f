import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Change, ChangeEntity, ChangeLog } from './change-log.ts';

/** How a follower reads the log, and what it does with what it finds. */
export interface FollowerOptions {
  log: Pick<ChangeLog, 'since' | 'head'>;
  entities: readonly ChangeEntity[];
  /** The seq up to which everything is known already. Read the head first, then what it covers. */
  from: number;
  /**
   * Takes in changes, in order; `head` is a seq that was committed before they were read. May be
   * given changes again that it failed on before. Never called while it still runs.
   */
  apply: (changes: readonly Change[], head: number) => Promise<void>;
  /** Pause between two looks at the log, in milliseconds; 100 by default. */
  pollMs?: number;
  /** As the log's: where given, a commit is looked at at once, and polling makes sure. */
  watch?: ChangeLog['watch'];
  /** The most changes handed to `apply` at once. */
  batchSize?: number;
  /** Told of each failure to read or apply; the same changes are tried again at the next poll. */
  onError: (error: unknown) => void;
}

/** The store has lost commits that were followed, as after a failover to a replica that lagged. */
export class LogWentBack extends Error {
  constructor(head: number, position: number) {
    super(
      `The change log ends at ${head}, before ${position}, which this node has seen: the database has ` +
        'lost acknowledged changes. Restart every node.',
    );
    this.name = 'LogWentBack';
  }
}

/** Pause between a commit that was told and the look at it, so that many of them are one look. */
const WAKE_MS = 5;

/**
 * Reads the change log to its end, again and again, and skips nothing: its position moves on only
 * once `apply` has taken in what lies behind it. Commits become visible in the order of `seq`
 * (ARCHITECTURE.md, What must hold), so what lies beyond a head once read is all that can be new.
 */
export class Follower {
  readonly #options: Required<Omit<FollowerOptions, 'watch'>> & Pick<FollowerOptions, 'watch'>;
  #position: number;
  #head: number;
  #running: Promise<unknown> = Promise.resolve();
  /** The poll that has yet to begin. */
  #next: Promise<boolean> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #nextAt = Number.POSITIVE_INFINITY;
  #state: 'new' | 'started' | 'stopped' = 'new';
  #unwatch: (() => void) | undefined;
  /** Of performance.now(). */
  #confirmedAt = performance.now();
  #waiting: { seq: number; resolve: () => void; reject: (error: Error) => void }[] = [];

  constructor(options: FollowerOptions) {
    this.#options = { pollMs: 100, batchSize: 1_000, ...options };
    this.#position = options.from;
    this.#head = options.from;
  }

  /** The seq up to which every change has been applied, those of other entities included. */
  get position(): number {
    return this.#position;
  }

  /** How far the log was ahead of the position when last looked at, in seqs. */
  get lag(): number {
    return Math.max(0, this.#head - this.#position);
  }

  /** Milliseconds since the log's end was last seen, or since this was made. */
  get unconfirmedMs(): number {
    return performance.now() - this.#confirmedAt;
  }

  /** Polls from now on, the first time at once. The timers do not keep the process alive. */
  start(): void {
    if (this.#state === 'new') {
      this.#state = 'started';
      this.#unwatch = this.#options.watch?.(() => this.#pollIn(WAKE_MS));
      this.#pollIn(0);
    }
  }

  /** Polls no more. Resolves once a poll under way has ended, which it does after its batch. */
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
   * Reads the log to its end, after the poll under way if there is one, and once for all who ask
   * before it begins; whether anything was applied. A failure goes to `onError`; the promise rejects
   * only with what that throws.
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

  /** Resolves once everything up to `seq` has been applied; rejects when stopped before. */
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

  /** The next poll, at the earlier of this time and one set before. */
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
      // Nothing is confirmed by such a log: what was applied may not be true, and its numbers come again.
      if (head < this.#position) throw new LogWentBack(head, this.#position);
      this.#head = head;
      if (head === this.#position) this.#confirmedAt = askedAt;
      while (this.#position < this.#head && this.#state !== 'stopped') {
        const changes = await log.since(this.#position, entities, batchSize);
        if (changes.length > 0) {
          await apply(changes, this.#head);
          applied = true;
        }
        const end = changes.at(-1)?.seq ?? this.#position;
        // A batch that is not full ends the log, so nothing of ours lies between it and the head.
        this.#moveTo(changes.length < batchSize ? Math.max(end, this.#head) : end);
        // A store in this process answers without a turn of the event loop: requests need theirs.
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
    for (const waiting of this.#waiting.filter(({ seq }) => seq <= position)) {
      waiting.resolve();
    }
    this.#waiting = this.#waiting.filter(({ seq }) => seq > position);
  }
}

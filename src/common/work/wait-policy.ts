import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../errors.ts';
import type { Log } from '../log.ts';

/** The shortest time between two calls of `onWait`. */
const REPORT_EVERY_MS = 10_000;
const PAUSE_MS = 100;

export interface WaitOptions {
  /** How long each call of `run` may wait, in milliseconds; 0 means not at all. */
  ms: number;
  /** Called when work begins to wait, and then at most every ten seconds while any work waits. */
  onWait: (reason: string) => void;
  /** Called when work continues after `onWait` was called; `ms` is how long it waited. */
  onContinue: (ms: number) => void;
  /** Ends all waiting at once. */
  signal?: AbortSignal | undefined;
}

/**
 * Decides how long work waits for a temporary condition to end, such as a database restart or a lock
 * of another process. Commands, imports and starts wait for minutes. Requests use `WaitPolicy.none`:
 * their callers get 503 with `Retry-After` instead.
 */
export class WaitPolicy {
  static readonly none = new WaitPolicy({ ms: 0, onWait: () => {}, onContinue: () => {} });

  readonly #options: WaitOptions;
  #isOver = false;
  /** How many calls of `run` wait now, and since when the first of them waits. */
  #waiting = 0;
  #since = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;
  #isReported = false;

  constructor(options: WaitOptions) {
    this.#options = options;
  }

  /** How long work that begins now may wait, in milliseconds; 0 means not at all. */
  get ms(): number {
    return this.#isOver || this.#options.signal?.aborted ? 0 : this.#options.ms;
  }

  get signal(): AbortSignal | undefined {
    return this.#options.signal;
  }

  /** The functions that it calls, for a thread that waits with a policy of its own. */
  get reports(): Pick<WaitOptions, 'onWait' | 'onContinue'> {
    return this.#options;
  }

  /** Whether `end` was called, or work has waited for the whole time. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Ends all waiting. Work that waits is tried once more. */
  end(): void {
    this.#isOver = true;
  }

  /**
   * Does the work, and repeats it while `whyWait` gives a reason to wait after its failure. Rejects with
   * the last error when the time is over; from then on this policy waits for nothing. Rejects with an
   * OperatorError when the signal aborts.
   */
  async run<T>(
    work: () => Promise<T>,
    whyWait: (error: unknown) => string | undefined,
  ): Promise<T> {
    const begunAt = performance.now();
    try {
      return await work();
    } catch (error) {
      const reason = this.ms === 0 ? undefined : whyWait(error);
      if (reason === undefined) throw error;
      // The first attempt is a part of the wait.
      if (this.#waiting === 0) this.#since = begunAt;
      return this.#wait(reason, work, whyWait);
    }
  }

  async #wait<T>(
    firstReason: string,
    work: () => Promise<T>,
    whyWait: (error: unknown) => string | undefined,
  ): Promise<T> {
    const since = performance.now();
    this.#waiting++;
    try {
      for (let reason: string | undefined = firstReason; ; ) {
        this.#report(reason);
        await this.#unlessStopped(reason, sleep(PAUSE_MS));
        try {
          const result = await this.#unlessStopped(reason, work());
          this.#reportEnd();
          return result;
        } catch (error) {
          reason = this.ms === 0 ? undefined : whyWait(error);
          if (reason === undefined) throw error;
          if (performance.now() - since >= this.#options.ms) {
            // Later work, such as closing the store, must not wait as long again.
            this.end();
            throw error;
          }
        }
      }
    } finally {
      this.#waiting--;
    }
  }

  #report(reason: string): void {
    const now = performance.now();
    if (now - this.#reportedAt < REPORT_EVERY_MS) return;
    this.#reportedAt = now;
    this.#isReported = true;
    this.#options.onWait(reason);
  }

  #reportEnd(): void {
    if (!this.#isReported) return;
    this.#isReported = false;
    this.#options.onContinue(performance.now() - this.#since);
  }

  async #unlessStopped<T>(reason: string, work: Promise<T>): Promise<T> {
    const { signal } = this.#options;
    if (signal === undefined) return work;
    const stopped = Promise.withResolvers<never>();
    const stop = () => stopped.reject(new OperatorError(`Stopped while waiting: ${reason}.`));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await Promise.race([stopped.promise, work]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}

export function loggedWaitPolicy(log: Log, ms: number, signal?: AbortSignal): WaitPolicy {
  return new WaitPolicy({ ms, signal, ...waitLog(log) });
}

export function waitLog(log: Log): Pick<WaitOptions, 'onWait' | 'onContinue'> {
  return {
    onWait: (reason) => log.warn({ reason }, 'waiting for the database'),
    onContinue: (ms) => log.info({ ms: Math.round(ms) }, 'the wait for the database is over'),
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { databaseAway, isConnectionLoss, isReadOnly, isTimeout } from './postgres-error.ts';

/** An answer that takes longer makes us ask whether anybody is there. */
const SLOW_MS = 350;
/** How long that question may take. With SLOW_MS, an outage is known within a second. */
export const PROBE_MS = 550;
/** Pause between two tries to reach a server that is away. */
const RETRY_MS = 100;

/** What Availability works with. */
export interface AvailabilityOptions {
  /** Rejects unless the server answers within PROBE_MS. */
  probe: () => Promise<void>;
  /** Called when an outage begins, before the work under way is given up. */
  onAway: (reason: unknown) => void;
  /** Called when it is over; `ms` is how long it took. */
  onBack: (ms: number) => void;
}

/**
 * Whether the database answers. While it does not, work is refused at once; work that was under way
 * when it went is given up within a second of its beginning. It comes back by itself.
 */
export class Availability {
  readonly #options: AvailabilityOptions;
  readonly #underWay = new Set<(error: Error) => void>();
  #outage: { reason: unknown; since: number } | undefined;
  #asking: Promise<void> | undefined;
  /** Of performance.now(). */
  #answeredAt = 0;
  #isStopped = false;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
  }

  get isAway(): boolean {
    return this.#outage !== undefined;
  }

  /** Does the work while the database is there; rejects with `unavailable` while it is not. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#outage !== undefined) throw databaseAway(this.#outage.reason);
    const { promise: givenUp, reject } = Promise.withResolvers<never>();
    const slow = setInterval(() => this.suspect(new Error('no answer in time')), SLOW_MS).unref();
    this.#underWay.add(reject);
    try {
      return await Promise.race([work(), givenUp]);
    } catch (error) {
      if (isConnectionLoss(error)) void this.suspect(error);
      if (isReadOnly(error)) {
        // Behind a proxy, the server may become another one while connections stay.
        await this.suspect(error);
        if (this.isAway) throw databaseAway(error);
      }
      throw error;
    } finally {
      clearInterval(slow);
      this.#underWay.delete(reject);
    }
  }

  /** To be told of every answer: who answers is there, though it may have no time for our question. */
  answered(): void {
    this.#answeredAt = performance.now();
  }

  /** Asks whether the server is there; an outage begins where it is not. Resolves when that is known. */
  suspect(reason: unknown): Promise<void> {
    if (this.#outage !== undefined || this.#isStopped) return Promise.resolve();
    const askedAt = performance.now();
    this.#asking ??= this.#options
      .probe()
      .catch((error: unknown) => {
        if (!isTimeout(error) || this.#answeredAt < askedAt) this.#begin(reason);
      })
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }

  /** Tries no more to reach a server that is away. */
  stop(): void {
    this.#isStopped = true;
  }

  #begin(reason: unknown): void {
    if (this.#isStopped) return;
    this.#outage = { reason, since: performance.now() };
    this.#options.onAway(reason);
    for (const giveUp of this.#underWay) giveUp(databaseAway(reason));
    void this.#recover(this.#outage.since);
  }

  async #recover(since: number): Promise<void> {
    while (!this.#isStopped) {
      await sleep(RETRY_MS, undefined, { ref: false });
      try {
        await this.#options.probe();
      } catch {
        continue;
      }
      this.#outage = undefined;
      this.#options.onBack(performance.now() - since);
      return;
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { databaseAway, isConnectionLoss, isReadOnly, isTimeout } from './postgres-error.ts';

/** After waiting this long for a statement, Stave probes the server. */
const SLOW_MS = 350;
/** The time limit of a probe. Together with SLOW_MS, it makes an outage known within a second. */
export const PROBE_MS = 550;
/**
 * The time limit while work may wait for the database: a shorter pause of the server is not an outage, so no
 * work has to be repeated.
 */
export const PATIENT_PROBE_MS = 5_000;
/** The pause between two probes during an outage. */
const RETRY_MS = 100;

/** The options of Availability. */
export interface AvailabilityOptions {
  /** Rejects unless the server answers in time. */
  probe: () => Promise<void>;
  /** Called when an outage begins, before the open work is rejected. */
  onAway: (reason: unknown) => void;
  /** Called when the outage has ended; `ms` is its duration. */
  onBack: (ms: number) => void;
}

/**
 * Knows whether the database answers. During an outage, it rejects new work at once. It rejects the work that
 * was open when the outage began within a second of that moment. It detects the end of the outage itself.
 */
export class Availability {
  readonly #options: AvailabilityOptions;
  readonly #underWay = new Set<(error: Error) => void>();
  #outage: { reason: unknown; since: number } | undefined;
  #asking: Promise<void> | undefined;
  /** The time of the last response of the server, by performance.now(). */
  #answeredAt = 0;
  #isStopped = false;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
  }

  get isAway(): boolean {
    return this.#outage !== undefined;
  }

  /** Runs the work; rejects with `unavailable` during an outage. */
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
        // Behind a proxy, another server can take the place of this one while the connections stay open.
        await this.suspect(error);
        if (this.isAway) throw databaseAway(error);
      }
      throw error;
    } finally {
      clearInterval(slow);
      this.#underWay.delete(reject);
    }
  }

  /**
   * Call this for every response of the server, and for every part of one. A server that answers is available,
   * even if it is too busy for the probe.
   */
  answered(): void {
    this.#answeredAt = performance.now();
  }

  /** Probes the server. An outage begins if the probe fails. Resolves when the result is known. */
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

  /** Stops probing an unavailable server. */
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

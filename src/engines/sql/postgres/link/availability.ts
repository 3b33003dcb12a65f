import { setTimeout as sleep } from 'node:timers/promises';
import { databaseAway, isConnectionLoss, isReadOnly, isTimeout } from './postgres-error.ts';

/** When the silence of a server is an outage. */
export interface Patience {
  /** How long the server may send nothing while work waits for it, before it is probed; in milliseconds. */
  silenceMs: number;
  /** The time limit of a probe, in milliseconds. */
  probeMs: number;
}

/** The sum makes an outage known within a second. */
export const IMPATIENT: Patience = { silenceMs: 350, probeMs: 550 };
/**
 * While work may wait for the database: a pause of the server that is shorter than a probe is not an outage, so no
 * work has to be repeated. The silence is longer than the server lets a writer wait for the lock of all writers, so
 * processes that take turns at writing do not probe.
 */
export const PATIENT: Patience = { silenceMs: 2_500, probeMs: 5_000 };
/** The pause between two probes during an outage. */
const RETRY_MS = 100;

export interface AvailabilityOptions {
  /** Called whenever it is needed, because work waits for the database only until a process serves. */
  patience: () => Patience;
  /** Rejects unless the server answers within this time. */
  probe: (ms: number) => Promise<void>;
  /** Called when an outage begins, before the open work is rejected. */
  onAway: (reason: unknown) => void;
  /** Called when the outage has ended; `ms` is its duration. */
  onBack: (ms: number) => void;
}

/** Work whose result is not known yet. */
interface Work {
  /** By performance.now(). */
  since: number;
  giveUp: (error: Error) => void;
}

/**
 * Knows whether the database answers. It probes the server while work waits and the server is silent: one probe at a
 * time, however much work waits. During an outage, it rejects new work at once. It rejects the work that
 * was open when the outage began within a second of that moment. It detects the end of the outage itself.
 */
export class Availability {
  readonly #options: AvailabilityOptions;
  /** The oldest work is the first. */
  readonly #underWay = new Set<Work>();
  #outage: { reason: unknown; since: number } | undefined;
  #asking: Promise<void> | undefined;
  /** The time of the last response of the server, by performance.now(). */
  #answeredAt = 0;
  #isStopped = false;
  #watching: NodeJS.Timeout | undefined;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
  }

  get isAway(): boolean {
    return this.#outage !== undefined;
  }

  /** Runs the work; rejects with `unavailable` during an outage. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#outage !== undefined) throw databaseAway(this.#outage.reason);
    const { promise: givenUp, reject: giveUp } = Promise.withResolvers<never>();
    const one = { since: performance.now(), giveUp };
    this.#underWay.add(one);
    this.#watch();
    try {
      return await Promise.race([work(), givenUp]);
    } catch (error) {
      // Behind a proxy, a replica can take the place of the server while the connections stay open.
      if (isConnectionLoss(error) || isReadOnly(error)) {
        await this.suspect(error);
        if (this.isAway) throw databaseAway(error);
      }
      throw error;
    } finally {
      this.#underWay.delete(one);
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
    this.#asking ??= this.#probe()
      .then(
        () => this.answered(),
        (error: unknown) => {
          if (!isTimeout(error) || this.#answeredAt < askedAt) this.#begin(reason);
        },
      )
      .finally(() => {
        this.#asking = undefined;
        this.#watch();
      });
    return this.#asking;
  }

  /** Stops probing an unavailable server. */
  stop(): void {
    this.#isStopped = true;
  }

  #probe(): Promise<void> {
    return this.#options.probe(this.#options.patience().probeMs);
  }

  /** Suspects the server as soon as it has been silent for too long. */
  #watch(): void {
    const [oldest] = this.#underWay;
    if (oldest === undefined || this.isAway) return;
    if (this.#watching !== undefined || this.#asking !== undefined) return;
    const silentSince = Math.max(oldest.since, this.#answeredAt);
    const leftMs = silentSince + this.#options.patience().silenceMs - performance.now();
    if (leftMs <= 0) {
      void this.suspect(new Error('no answer in time'));
      return;
    }
    this.#watching = setTimeout(() => {
      this.#watching = undefined;
      this.#watch();
    }, leftMs).unref();
  }

  #begin(reason: unknown): void {
    if (this.#isStopped) return;
    this.#outage = { reason, since: performance.now() };
    this.#options.onAway(reason);
    for (const { giveUp } of this.#underWay) giveUp(databaseAway(reason));
    void this.#recover(this.#outage.since);
  }

  async #recover(since: number): Promise<void> {
    while (!this.#isStopped) {
      await sleep(RETRY_MS, undefined, { ref: false });
      try {
        await this.#probe();
      } catch {
        continue;
      }
      this.#outage = undefined;
      this.#options.onBack(performance.now() - since);
      return;
    }
  }
}

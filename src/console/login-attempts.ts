import type { Clock } from '../common/clock.ts';

/** A limit of failures. */
interface Limit {
  /** The failures without a wait. */
  free: number;
  /** The wait after these, which doubles with each further failure. */
  firstSeconds: number;
  mostSeconds: number;
}

const OF_ADDRESS: Limit = { free: 5, firstSeconds: 30, mostSeconds: 900 };
/** Strangers can cause this wait, so it is short. */
const OF_ALL: Limit = { free: 30, firstSeconds: 1, mostSeconds: 30 };
/** Failures are forgotten when there was none for this time. */
const MEMORY_MS = 60 * 60_000;
/** The greatest number of addresses in memory. The oldest are forgotten. */
const MAX_ADDRESSES = 10_000;

/** The failures of one address, or of all. */
interface Failures {
  count: number;
  lastAt: number;
}

/**
 * Limits failed logins: after some failures, the wait before the next attempt doubles with each one. An attempt counts as
 * failed until it has succeeded, so that attempts at one time do not pass together.
 */
export class LoginAttempts {
  readonly #clock: Clock;
  /** By network, in the order of the last failure. */
  readonly #ofAddress = new Map<string, Failures>();
  #ofAll: Failures = { count: 0, lastAt: 0 };

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
  }

  /**
   * Begins an attempt. Returns undefined if it may go on, otherwise the whole seconds to wait.
   *
   * @param network the network of the caller, as `networkOf` returns it
   */
  begin(network: string): number | undefined {
    const waits = [
      this.#waitMs(this.#ofAddress.get(network), OF_ADDRESS),
      this.#waitMs(this.#ofAll, OF_ALL),
    ];
    const wait = Math.max(...waits);
    if (wait > 0) return Math.ceil(wait / 1_000);
    this.#ofAll = this.#oneMore(this.#ofAll);
    const ofAddress = this.#oneMore(this.#ofAddress.get(network));
    this.#ofAddress.delete(network);
    const [oldest] = this.#ofAddress.size < MAX_ADDRESSES ? [] : this.#ofAddress.keys();
    if (oldest !== undefined) this.#ofAddress.delete(oldest);
    this.#ofAddress.set(network, ofAddress);
    return undefined;
  }

  /** Ends an attempt with the right password. */
  succeed(network: string): void {
    this.#ofAddress.delete(network);
    this.#ofAll = { count: 0, lastAt: 0 };
  }

  #oneMore(before: Failures | undefined): Failures {
    const now = this.#clock.now();
    const count = before === undefined || now - before.lastAt >= MEMORY_MS ? 0 : before.count;
    return { count: count + 1, lastAt: now };
  }

  #waitMs(failures: Failures | undefined, { free, firstSeconds, mostSeconds }: Limit): number {
    if (failures === undefined || failures.count < free) return 0;
    const doublings = Math.min(failures.count - free, 30);
    const seconds = Math.min(mostSeconds, firstSeconds * 2 ** doublings);
    const since = this.#clock.now() - failures.lastAt;
    return since >= MEMORY_MS ? 0 : Math.max(0, seconds * 1_000 - since);
  }
}

import { createHash } from 'node:crypto';
import type { Clock } from '../../common/clock.ts';
import {
  MemoryRateLimiter,
  type RateLimitMemory,
} from '../../engines/limits/memory-rate-limiter.ts';
import type { RateDecision } from '../../engines/limits/rate-limiter.ts';

/** Failures per minute of one address with one client id (docs/contract/authentication.md#login-throttle). */
const FAILURES_PER_CLIENT = 10;
/** Failures per minute of one address in total. */
const FAILURES_PER_ADDRESS = 300;

/** Look-ups of unknown license numbers per minute of one address (docs/contract/certificates.md#verify). */
const LOOKUPS_PER_ADDRESS = 30;

/** Requests per minute of one address for links that do not exist, or have ended. */
const LINKS_PER_ADDRESS = 1_200;

/** Threads can share it. */
export interface LoginThrottleMemory {
  byClient: RateLimitMemory;
  byAddress: RateLimitMemory;
}

/**
 * Limits failed attempts to authenticate, and to find the number of a license. It is called only after a failure, so a
 * correct secret and a known number always pass: nobody can lock a client out by failing in its name.
 */
export class LoginThrottle {
  readonly #byClient: MemoryRateLimiter;
  readonly #byAddress: MemoryRateLimiter;

  /** @param deps.memory the counts; by default, counts of this throttle alone */
  constructor({ clock, memory }: { clock: Clock; memory?: LoginThrottleMemory }) {
    this.#byClient = new MemoryRateLimiter({ clock, memory: memory?.byClient });
    this.#byAddress = new MemoryRateLimiter({ clock, memory: memory?.byAddress });
  }

  /**
   * Counts a failure. Returns undefined while the limits allow it, otherwise the whole seconds to wait. A
   * failure over a limit is not counted. The result does not depend on whether the client exists.
   *
   * @param network the network of the caller, as `networkOf` returns it
   */
  fail(network: string, clientId: string): number | undefined {
    // The id is hashed because it is arbitrary input, as long as a body may be.
    const client = createHash('sha256').update(`${network} ${clientId}`).digest('base64');
    return (
      secondsToWait([
        this.#byClient.peek(client, FAILURES_PER_CLIENT),
        this.#byAddress.peek(network, FAILURES_PER_ADDRESS),
      ]) ??
      // Each `take` decides again, because another thread may have counted in between.
      secondsToWait([
        this.#byClient.take(client, FAILURES_PER_CLIENT),
        this.#byAddress.take(network, FAILURES_PER_ADDRESS),
      ])
    );
  }

  /**
   * Counts the look-up of a license number that does not exist, apart from failures to authenticate. Returns the same as
   * `fail`.
   */
  failLookup(network: string): number | undefined {
    const key = `license ${network}`;
    return secondsToWait([this.#byAddress.take(key, LOOKUPS_PER_ADDRESS)]);
  }

  /** Counts the request for a link that does not exist. Returns the same as `fail`. */
  failLink(network: string): number | undefined {
    return secondsToWait([this.#byAddress.take(`no link ${network}`, LINKS_PER_ADDRESS)]);
  }
}

function secondsToWait(decisions: readonly RateDecision[]): number | undefined {
  const refusals = decisions.filter(({ allowed }) => !allowed);
  return refusals.length === 0
    ? undefined
    : Math.max(...refusals.map(({ resetSeconds }) => resetSeconds));
}

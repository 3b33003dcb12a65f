import type { Clock } from '../kernel/clock.ts';
import { FixedWindows } from './fixed-windows.ts';
import type { RateDecision, RateLimiter } from './rate-limiter.ts';

/**
 * Counts the requests of one process. Synchronous, and so exact: nothing can come between looking
 * and counting. A refused request is not counted.
 */
export class MemoryRateLimiter implements RateLimiter {
  readonly #windows: FixedWindows;

  constructor(deps: { clock: Clock }) {
    this.#windows = new FixedWindows(deps);
  }

  take(key: string, limit: number): RateDecision {
    const allowed = this.#windows.count(key) < limit;
    if (allowed) {
      this.#windows.add(key);
    }
    return {
      allowed,
      limit,
      // A limit may be lowered in the middle of a window, below what was used of it.
      remaining: Math.max(0, limit - this.#windows.count(key)),
      resetSeconds: this.#windows.resetSeconds(key),
    };
  }
}

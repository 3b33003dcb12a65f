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
    return this.#windows.take(key, limit);
  }
}

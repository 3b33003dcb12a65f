import type { Clock } from '../kernel/clock.ts';
import { FixedWindows, type Windows } from './fixed-windows.ts';
import type { LocalRateLimiter, RateDecision } from './rate-limiter.ts';

/**
 * Counts the requests of one process. Synchronous, and so exact: nothing can come between looking
 * and counting. A refused request is not counted.
 */
export class MemoryRateLimiter implements LocalRateLimiter {
  readonly #windows: Windows;

  /** @param deps.windows where to count; in memory of its own by default. */
  constructor(deps: { clock: Clock; windows?: Windows }) {
    this.#windows = deps.windows ?? new FixedWindows({ clock: deps.clock });
  }

  take(key: string, limit: number): RateDecision {
    return this.#windows.take(key, limit);
  }

  release(key: string, count: number): void {
    this.#windows.release(key, count);
  }
}

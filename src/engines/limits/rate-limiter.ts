/** The length of a rate limit window in seconds, unless a key has another one (docs/contract/limits.md#rate-limit). */
export const WINDOW_SECONDS = 60;

export interface RateDecision {
  allowed: boolean;
  limit: number;
  /** Requests left in the window, never negative. */
  remaining: number;
  /** Whole seconds until the window ends, rounded up, from 1 to the length of a window. */
  resetSeconds: number;
}

/**
 * Counts requests by key in fixed windows that begin with the key's first request
 * (docs/contract/limits.md#rate-limit). Exact under concurrency. A refused request is not counted.
 */
export interface RateLimiter {
  /** Counts one request unless the key's window already holds `limit`. */
  take(key: string, limit: number): RateDecision | Promise<RateDecision>;
}

/** Also limits attempts of which only failures count: each counts as one until it has succeeded. */
export interface AttemptLimiter extends RateLimiter {
  /** @param windowSeconds the length of the window, the same in each call with this key */
  take(key: string, limit: number, windowSeconds?: number): RateDecision | Promise<RateDecision>;
  /** Undoes a `take`, if its window still runs. The attempt took less time than a window lasts. */
  giveBack(key: string, taken: RateDecision): void | Promise<void>;
}

/** Length of every rate limit window, in seconds (docs/contract/limits.md#rate-limit). */
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

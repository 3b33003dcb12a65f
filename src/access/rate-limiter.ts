/** What became of one request against its limit. */
export interface RateDecision {
  allowed: boolean;
  limit: number;
  /** Requests left in the window, never negative. */
  remaining: number;
  /** Whole seconds until the window ends, rounded up, at least 1. */
  resetSeconds: number;
}

/**
 * Counts requests in fixed windows of 60 s that begin with the first request (decisions §6).
 * Exact under concurrency. In memory it answers at once; a shared counter answers with a promise.
 */
export interface RateLimiter {
  take(key: string, limit: number): RateDecision | Promise<RateDecision>;
}

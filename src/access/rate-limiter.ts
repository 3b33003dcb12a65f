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

/** A limiter that answers at once, because all it counts lies in this process. */
export interface LocalRateLimiter extends RateLimiter {
  take(key: string, limit: number): RateDecision;
  /** Takes counts back that a shared counter holds now. */
  release(key: string, count: number): void;
}

/** A limiter that counts over all nodes, and alone while what they share is away. */
export interface SharedRateLimiter extends RateLimiter {
  /** Whether requests are counted over all nodes now. */
  readonly isShared: boolean;
  /** How many requests were counted alone. */
  readonly countedLocally: number;
}

/** Counts of days and addresses are kept for 13 months, and errors for 30 days. */
export const KEPT_DAYS = 397;
export const ERROR_DAYS = 30;
/** The latest errors of a client that are kept: so many of its own, and so many of those in `isAside`. */
export const KEPT_ERRORS = 50;
/** The latest addresses that are kept of each secret. */
export const KEPT_ADDRESSES = 500;

/** The upper bounds of the times of responses that are counted together. A longer time counts for the last one. */
export const BOUNDS_MS: readonly number[] = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000,
];

/** Returns the upper bound of a time. */
export function boundOf(ms: number): number {
  for (const bound of BOUNDS_MS) if (ms < bound) return bound;
  return BOUNDS_MS.at(-1)!;
}

/** The requests of a client in one day that ended in the same way. */
export interface DayCount {
  clientId: string;
  /** Empty if the requests did not prove to have a secret. */
  secretId: string;
  /** The start of the day in UTC, in milliseconds since the epoch. */
  at: number;
  /** `ok`, `aborted` or the type of the error. */
  outcome: string;
  /** One of BOUNDS_MS; 0 for other outcomes than `ok`. */
  underMs: number;
  requests: number;
}

export interface FailedRequest {
  clientId: string;
  /** In milliseconds since the epoch. */
  at: number;
  requestId: string;
  /** Empty if the request did not prove to have a secret. */
  secretId: string;
  operationId: string;
  /** Empty if an earlier version recorded it. */
  method: string;
  path: string;
  /** Null if the connection ended before the response was complete. */
  status: number | null;
  error: string;
  problem: string;
  caller: string;
}

/** The use of a secret, or of tokens of it, from one network. */
export interface SecretAddress {
  clientId: string;
  secretId: string;
  address: string;
  requests: number;
  /** Those of the requests that got an error or were aborted. */
  errors: number;
  /** In milliseconds since the epoch. */
  firstAt: number;
  lastAt: number;
}

/**
 * Whether an error must not displace the other ones that are kept of its client: a client over its limit has thousands
 * of them, and strangers can cause those without a secret.
 */
export function isAside({ error, secretId }: FailedRequest): boolean {
  return error === 'rate_limited' || secretId === '';
}

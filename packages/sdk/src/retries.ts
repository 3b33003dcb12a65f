import { StaveApiError, StaveConnectionError } from './errors.ts';

/** Statuses after which the same request may succeed. */
const TEMPORARY = [408, 425, 429, 500, 502, 503, 504];
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 30_000;

/**
 * How long to wait before a request is repeated that has failed this often, in milliseconds; null if a repetition does
 * not help. The service's `Retry-After` counts if there is one, up to the limit. The random part spreads the requests of
 * many clients after a failure of the service.
 */
export function delayAfter(error: unknown, failures: number, longestWaitMs: number): number | null {
  const random = 0.5 + Math.random() / 2;
  const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures) * random;
  if (error instanceof StaveConnectionError) return delay;
  if (!(error instanceof StaveApiError) || !TEMPORARY.includes(error.status)) return null;
  if (error.retryAfterSeconds === null) return delay;
  const asked = error.retryAfterSeconds * 1_000;
  return asked > longestWaitMs ? null : asked + delay - FIRST_DELAY_MS / 2;
}

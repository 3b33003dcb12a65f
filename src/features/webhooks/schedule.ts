import type { Mode } from '../../common/caller.ts';
import { DAY_MS } from '../../common/clock.ts';
import type { DisabledReason } from './webhook.ts';

/** An endpoint with messages to send. */
export interface DueEndpoint {
  rowId: number;
  url: string;
  mode: Mode;
  /** Whether its last attempt has failed. */
  isFailing: boolean;
  /** Those that are valid, the newest first. */
  secrets: Buffer[];
}

/** A message to send. */
export interface DueMessage {
  rowId: number;
  id: string;
  body: string;
  /** Since it was created or replayed. */
  scheduleAttempts: number;
}

/** What an attempt to send a message has done. */
export interface AttemptResult {
  deliveryRowId: number;
  webhookRowId: number;
  /** When it began. */
  at: number;
  durationMs: number;
  httpStatus: number | null;
  error: string | null;
  response: string;
  outcome: 'delivered' | 'failed' | 'pending';
  /** Null unless it is pending. */
  nextAt: number | null;
  /** When it ended. */
  endedAt: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * The waits after each failed attempt but the last one. Those of test mode are short, so that a developer can watch a
 * message run out of attempts.
 */
const WAITS: Readonly<Record<Mode, readonly number[]>> = {
  live: [
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ],
  test: [1, 2, 4, 8].map((seconds) => seconds * SECOND),
};

/** An endpoint whose message has run out of attempts is disabled if it has failed for this long. */
const FAILING_MS = 3 * DAY_MS;

/** The most that chance adds to a wait of live mode, so that messages that failed together are spread. */
const JITTER = 0.2;

/**
 * Returns when a message is sent again whose attempt has failed; null if it was the last one.
 * @param attempt the number of attempts since the message was created or replayed, from 1
 * @param retryAfterMs the least wait that the receiver asks for; null if it asks for none
 * @param random from 0 to 1
 */
export function nextAttemptAt(
  mode: Mode,
  attempt: number,
  { now, retryAfterMs, random }: { now: number; retryAfterMs: number | null; random: number },
): number | null {
  const wait = WAITS[mode][attempt - 1];
  if (wait === undefined) return null;
  const scheduled = mode === 'live' ? Math.round(wait * (1 + JITTER * random)) : wait;
  return now + Math.max(scheduled, Math.min(retryAfterMs ?? 0, DAY_MS));
}

/**
 * Returns why an attempt disables its endpoint: it is gone, or it has failed for long. With `unlessAfter`, a time in
 * milliseconds since the epoch, it does not if the endpoint was created, enabled or successful after that. Returns
 * undefined if the message was delivered, or will be sent again.
 */
export function disablingBy({
  outcome,
  httpStatus,
  endedAt,
}: Pick<AttemptResult, 'outcome' | 'httpStatus' | 'endedAt'>):
  | { reason: DisabledReason; unlessAfter?: number }
  | undefined {
  if (outcome !== 'failed') return undefined;
  if (httpStatus === 410) return { reason: 'gone' };
  return { reason: 'failing', unlessAfter: endedAt - FAILING_MS };
}

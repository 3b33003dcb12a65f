import type { Mode } from '../../common/caller.ts';
import { DAY_MS } from '../../common/clock.ts';
import type { Attempt, DisabledReason } from './webhook.ts';

export interface DueEndpoint {
  rowId: number;
  url: string;
  mode: Mode;
  /** Whether its last attempt failed. */
  isFailing: boolean;
  /** The valid ones, newest first. */
  secrets: Buffer[];
  /** The header that the client wants in each message; undefined if it is damaged. */
  authorization: string | null | undefined;
}

export interface DueMessage {
  rowId: number;
  id: string;
  body: string;
  /** The attempts since it was created or replayed. */
  scheduleAttempts: number;
}

export interface AttemptResult extends Omit<Attempt, 'attempt'> {
  deliveryRowId: number;
  webhookRowId: number;
  outcome: 'delivered' | 'failed' | 'pending';
  /** Null unless it is pending. */
  nextAt: number | null;
  /** When it ended. */
  endedAt: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The waits after failed attempts, in ms. Test mode has short ones, so that a developer can watch all attempts. */
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

/** The last failed attempt of a message disables an endpoint that has failed for this long. */
const FAILING_MS = 3 * DAY_MS;

/** The greatest random addition to a wait of live mode, which spreads messages that failed together. */
const JITTER = 0.2;

/**
 * Returns when a message is sent again after a failed attempt; null after the last attempt.
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
 * Returns why an attempt disables its endpoint; undefined if the message was delivered, or will be sent again. The
 * attempt does not disable an endpoint that was created, enabled or successful after `unlessAfter`, in milliseconds since
 * the epoch.
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

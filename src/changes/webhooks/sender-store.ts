import type { Mode } from '../../access/client.ts';
import type { DisabledReason } from './webhook.ts';

/** An endpoint with messages to send. */
export interface DueEndpoint {
  rowId: number;
  url: string;
  mode: Mode;
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

/** What sending messages needs of the store. One node at a time uses it. Times are in milliseconds since the epoch. */
export interface SenderStore {
  /** The endpoints that are enabled and have messages to send at a time. */
  dueEndpoints(now: number): Promise<DueEndpoint[]>;
  /**
   * Takes the first messages to send to an endpoint at a time, so that no other process sends them for `ms` milliseconds.
   * Returns none if the endpoint is disabled.
   */
  claim(
    webhookRowId: number,
    now: number,
    claim: { limit: number; ms: number },
  ): Promise<DueMessage[]>;
  /** Gives back messages that were taken and are not sent. */
  release(rowIds: readonly number[]): Promise<void>;
  /** Stores what attempts have done, which ends their claims. Leaves the state of a message that is not pending any more. */
  record(results: readonly AttemptResult[]): Promise<void>;
  /**
   * Disables an endpoint and discards its pending messages. Does nothing if it is disabled, or if it was created, enabled
   * or successful after a given time.
   */
  disable(webhookRowId: number, reason: DisabledReason, unlessAfter?: number): Promise<void>;
  /** The number of pending messages. */
  pending(): Promise<number>;
  /** Discards the pending messages of endpoints that are deleted or get nothing. Works in short transactions. */
  discardStray(signal?: AbortSignal): Promise<void>;
}

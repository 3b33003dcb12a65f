import type { Mode } from '../../common/caller/scopes.ts';

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

/** What sending messages needs of the store. One node at a time uses it. Times are in milliseconds since the epoch. */
export interface SenderStore {
  /** Whether there are endpoints, or pending messages of deleted ones. */
  isNeeded(): Promise<boolean>;
  /** The endpoints that are enabled, with their clients, and have messages to send at a time. */
  dueEndpoints(now: number): Promise<DueEndpoint[]>;
  /**
   * Takes the first messages to send to an endpoint at a time, so that no other process sends them for `ms` milliseconds.
   * Returns none if nothing is sent to the endpoint, and leaves out those of types whose feature is off.
   */
  claim(
    webhookRowId: number,
    now: number,
    claim: { limit: number; ms: number },
  ): Promise<DueMessage[]>;
  /** Gives back messages that were taken and are not sent. */
  release(rowIds: readonly number[]): Promise<void>;
  /**
   * Stores what attempts have done, which ends their claims. Leaves the state of a message that is not pending any more.
   * In the same transaction, disables the endpoints that are gone or have failed for long (`disablingBy`). Returns these;
   * their pending messages are then to be discarded.
   */
  record(results: readonly AttemptResult[]): Promise<ReadonlySet<number>>;
  /** The number of pending messages. */
  pending(): Promise<number>;
  /**
   * Discards the pending messages of endpoints that are deleted or get nothing. Works in short transactions.
   * @param only endpoints to look at; undefined for all
   */
  discardStray(signal?: AbortSignal, only?: readonly number[]): Promise<void>;
}

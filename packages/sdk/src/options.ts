import type { AccessToken } from './generated/types.ts';

/** What every client needs, and what it may change. */
export interface StaveOptions {
  /** The address of the service, such as `https://api.example.com`. */
  baseUrl: string | URL;
  clientId?: string;
  clientSecret?: string;
  /** The scopes of the token, separated by spaces. By default all scopes of the client. */
  scope?: string;
  /**
   * Gets an access token instead of the credentials, for example from your own server for a web page. It may take
   * `timeoutMs`.
   */
  getAccessToken?: () => Promise<AccessToken>;
  /** The language of names, such as `de`, for every request. */
  language?: string;
  /** How long a request may take, in milliseconds, without its repetitions. By default 30,000. */
  timeoutMs?: number;
  /** How often a request is repeated at most. By default 4. */
  maxRetries?: number;
  /** A longer `Retry-After` is an error, in milliseconds. By default 60,000. */
  longestWaitMs?: number;
  /** Called for every request; for logs. */
  hooks?: Hooks;
  /** Instead of the global `fetch`. */
  fetch?: typeof fetch;
}

/** The options of one request. */
export interface RequestOptions {
  /** Ends the request, its repetitions and its waiting. The promise is rejected with the reason of the signal. */
  signal?: AbortSignal;
  timeoutMs?: number;
  maxRetries?: number;
  language?: string;
  /** The key of a write. By default a random one for each call, the same in all its repetitions. */
  idempotencyKey?: string;
  /** The time that the service shall assume, in test mode only. */
  testTime?: string;
}

/** An attempt of a request. It contains no secrets, but URLs contain searches. */
export interface Attempt {
  /** The operation, such as `listTracks`. */
  operation: string;
  method: string;
  url: string;
  /** 1 for the first one. */
  attempt: number;
}

/** An attempt that has ended. */
export interface EndedAttempt extends Attempt {
  durationMs: number;
  /** Null if no response arrived. */
  status: number | null;
  requestId: string | null;
  /** How many requests the client has left, or null if the service does not say so. */
  rateLimitRemaining: number | null;
  error?: unknown;
}

/** Functions that are called for every request. What they throw is ignored. */
export interface Hooks {
  onRequest?(attempt: Attempt): void;
  onResponse?(attempt: EndedAttempt): void;
  /** Before a pause of `delayMs`, after which the request is repeated. */
  onRetry?(attempt: Attempt & { error: unknown; delayMs: number }): void;
}

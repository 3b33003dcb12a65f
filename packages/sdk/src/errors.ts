import type { ErrorType, FieldProblem } from './generated/types.ts';

/** An error of this library. */
export class StaveError extends Error {
  override name = 'StaveError';
}

/** A response that is an error. `type` says which; `message` is for people. */
export class StaveApiError extends StaveError {
  override name = 'StaveApiError';
  /** The HTTP status. */
  readonly status: number;
  /** `unknown` if the response is not one of Stave, for example that of a proxy. */
  readonly type: ErrorType | 'unknown';
  /** All problems of a request that failed validation. */
  readonly details: FieldProblem[];
  /** The id of the request. Include it when you ask the operator. */
  readonly requestId: string | null;
  /** The URL of a page about this kind of error, or null. */
  readonly docs: string | null;
  /** How many seconds the service asks to wait, or null. */
  readonly retryAfterSeconds: number | null;
  // Private, so that a printed error omits them.
  readonly #headers: Headers;

  constructor(response: Response, body: string) {
    const { type, message, details, requestId, docs = null } = errorIn(body);
    const { status, headers } = response;
    super(message ?? `The response has the status ${status} and is not one of Stave`);
    this.status = status;
    this.#headers = headers;
    this.type = type ?? 'unknown';
    // A proxy may have an envelope of its own.
    this.details = Array.isArray(details) ? details : [];
    this.requestId = requestId ?? headers.get('x-request-id');
    this.docs = docs;
    this.retryAfterSeconds = secondsIn(headers.get('retry-after'));
  }

  get headers(): Headers {
    return this.#headers;
  }
}

/** No whole response arrived: the service cannot be reached, or the connection broke. `cause` says why. */
export class StaveConnectionError extends StaveError {
  override name = 'StaveConnectionError';
}

/** No whole response arrived in time. */
export class StaveTimeoutError extends StaveConnectionError {
  override name = 'StaveTimeoutError';
}

interface ErrorBody {
  type?: ErrorType;
  message?: string;
  details?: FieldProblem[];
  requestId?: string;
  docs?: string;
}

function errorIn(body: string): ErrorBody {
  try {
    const { error, error_description: message, error_uri: docs } = JSON.parse(body);
    // The OAuth endpoints respond without the envelope (RFC 6749 §5.2).
    return typeof error === 'string' ? { type: error as ErrorType, message, docs } : { ...error };
  } catch {
    return {};
  }
}

/** `Retry-After` is a number of seconds or a date (RFC 9110 §10.2.3). */
function secondsIn(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  const seconds = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : (Date.parse(retryAfter) - Date.now()) / 1_000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

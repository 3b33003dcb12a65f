/**
 * Every kind of error that Stave responds with, and its HTTP status (docs/contract/errors.md#kinds).
 * The envelope, the OpenAPI document and the errors reference are generated from this registry.
 * The name and the status of a released kind never change.
 */
export const ERROR_KINDS = {
  invalid_request: {
    status: 400,
    when: 'The request failed validation; `details` names each field.',
  },
  unsupported_grant_type: { status: 400, when: '`grant_type` is not `client_credentials`.' },
  invalid_scope: { status: 400, when: 'The client requested a scope that it does not hold.' },
  invalid_client: {
    status: 401,
    when: 'The client id and secret do not match, or the secret is revoked.',
  },
  invalid_token: {
    status: 401,
    when: 'The access token is missing, malformed, expired or revoked.',
  },
  insufficient_scope: { status: 403, when: 'The token lacks the scope that the endpoint needs.' },
  feature_not_enabled: { status: 403, when: 'The contract feature is off for this client.' },
  forbidden: {
    status: 403,
    when: 'The request came from an origin that may not send it, or the owner has switched off what it asks for.',
  },
  invalid_signature: { status: 403, when: 'A byte of the signed URL was changed.' },
  url_expired: {
    status: 403,
    when: 'The signed URL has expired, or its client was disabled.',
  },
  not_found: { status: 404, when: 'No such route, or no such resource for this client.' },
  method_not_allowed: { status: 405, when: 'The path exists, the method does not; see `Allow`.' },
  not_acceptable: { status: 406, when: '`Accept` excludes JSON.' },
  request_timeout: { status: 408, when: 'The request did not arrive in time.' },
  conflict: { status: 409, when: 'The state of the resource does not allow this.' },
  gone: {
    status: 410,
    when: 'The track was taken down, the license was revoked, the quote has expired, or the change log cannot be continued there.',
  },
  precondition_failed: { status: 412, when: 'A precondition header does not hold.' },
  payload_too_large: { status: 413, when: 'The body is larger than allowed.' },
  uri_too_long: { status: 414, when: 'The URL is over 8 KB.' },
  unsupported_media_type: {
    status: 415,
    when: 'The body is not of a type that the endpoint reads.',
  },
  range_not_satisfiable: { status: 416, when: 'The range lies outside the file.' },
  expectation_failed: { status: 417, when: '`Expect` is not `100-continue`.' },
  idempotency_mismatch: {
    status: 422,
    when: 'The idempotency key was used before with another payload.',
  },
  precondition_required: { status: 428, when: 'The request needs a precondition header.' },
  rate_limited: { status: 429, when: 'The limit is used up; wait for `Retry-After` seconds.' },
  headers_too_large: { status: 431, when: 'The headers are over 16 KB or 100 fields.' },
  internal_error: { status: 500, when: 'Stave failed; quote `requestId` to the operator.' },
  not_implemented: { status: 501, when: 'The method is not an HTTP method.' },
  unavailable: { status: 503, when: 'Stave cannot answer now; retry after `Retry-After` seconds.' },
} as const satisfies Record<string, { status: number; when: string }>;

/** A kind of error: the value of `error.type` in a response. */
export type ErrorKind = keyof typeof ERROR_KINDS;

/** One thing that is wrong with one field of a request or a record. `field` is a path such as `filterIds[2]`. */
export interface FieldProblem {
  field: string;
  message: string;
}

/** The client that a refused request names, for the operator only. It need not exist. */
export interface NamedClient {
  clientId: string;
  /** The id of the secret that the request proves to have, even if it is revoked. */
  secretId?: string | undefined;
}

/**
 * An error that is shown to the caller. `message` is one sentence that the caller can act on.
 * Information for the operator only goes into `cause`, which is logged and never sent.
 */
export class StaveError extends Error {
  readonly kind: ErrorKind;
  readonly details: readonly FieldProblem[] | undefined;
  /** Response headers that belong to the error: `Retry-After` (by default 1 for a 503), `Allow`, `WWW-Authenticate`. */
  readonly headers: Readonly<Record<string, string>>;
  /** `data` of the envelope: `{}`, except for the health check, which reports versions even when it fails. */
  readonly data: object;
  /** Who is refused, if the request was not authenticated. It is logged and never sent. */
  readonly client: NamedClient | undefined;

  constructor(
    kind: ErrorKind,
    message: string,
    options: {
      details?: readonly FieldProblem[];
      headers?: Record<string, string>;
      data?: object;
      client?: NamedClient | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'StaveError';
    this.kind = kind;
    this.details = options.details;
    // A caller must learn from each 503 when to try again.
    this.headers = { ...(kind === 'unavailable' && { 'Retry-After': '1' }), ...options.headers };
    this.data = options.data ?? {};
    this.client = options.client;
  }

  get status(): number {
    return ERROR_KINDS[this.kind].status;
  }
}

/** Returns the error that reports all problems of a request together. `problems` is not empty. */
export function invalidRequest(
  problems: readonly FieldProblem[],
  client?: NamedClient,
): StaveError {
  return new StaveError('invalid_request', summaryOf(problems), { details: problems, client });
}

/** Returns the first problem as a sentence, which says how many others there are. `problems` is not empty. */
export function summaryOf([first, ...others]: readonly FieldProblem[]): string {
  const more = others.length === 1 ? 'one more problem is' : `${others.length} more problems are`;
  const { message } = first!;
  return others.length === 0 ? `${message}.` : `${message}; ${more} listed in details.`;
}

/**
 * The error for a bearer token, with its challenge. By RFC 6750 §3.1, the challenge has no error code if the
 * request had no token.
 */
export function invalidToken(
  message: string,
  { noTokenSent, client }: { noTokenSent?: boolean; client?: NamedClient } = {},
): StaveError {
  const challenge = 'Bearer realm="stave"';
  return new StaveError('invalid_token', message, {
    client,
    headers: {
      'WWW-Authenticate': noTokenSent ? challenge : `${challenge}, error="invalid_token"`,
    },
  });
}

/**
 * A failure that only the operator can fix: an invalid setting, a full disk, a missing file.
 * The command line prints `message` as one line, without a stack, and exits with a non-zero code.
 */
export class OperatorError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OperatorError';
  }
}

/** Returns a 503. `retrySeconds` is the value of `Retry-After`, at least 1. */
export function unavailable(message: string, retrySeconds: number): StaveError {
  return new StaveError('unavailable', message, {
    headers: { 'Retry-After': String(retrySeconds) },
  });
}

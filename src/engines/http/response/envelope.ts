import type { ErrorKind, FieldProblem, StaveError } from '../../../common/errors.ts';

/** The content type of every envelope (docs/contract/http.md#content-type). */
export const ENVELOPE_TYPE = 'application/json; charset=utf-8';

/** The `error` member of every successful response (docs/contract/http.md#envelope). */
export const NO_ERROR_JSON = JSON.stringify({ code: 0, message: 'OK' });

/**
 * Returns the envelope of a successful response that repeats members of `data` beside it (`Route.besideData`), as bytes.
 */
export function repeatingEnvelope<Data extends object>(
  data: Data,
  beside: readonly (keyof Data & string)[],
): Buffer {
  const repeated = beside.map((name) => `,${JSON.stringify(name)}:${JSON.stringify(data[name])}`);
  return Buffer.from(
    `{"data":${JSON.stringify(data)},"error":${NO_ERROR_JSON}${repeated.join('')}}`,
  );
}

export function successEnvelope(data: object): Buffer {
  return Buffer.from(`{"data":${JSON.stringify(data)},"error":${NO_ERROR_JSON}}`);
}

/**
 * Returns the envelope of an error, as bytes. It contains no part of the `cause`. `publicUrl` is the base of the
 * service's own URLs, without a trailing slash.
 */
export function errorEnvelope(
  error: StaveError,
  { requestId, publicUrl }: { requestId: string; publicUrl: string },
): Buffer {
  return Buffer.from(
    JSON.stringify({
      data: error.data,
      error: {
        code: error.status,
        type: error.kind,
        message: error.message,
        // JSON.stringify omits an undefined member.
        details: error.details,
        requestId,
        docs: errorDocsUrl(publicUrl, error.kind),
      },
    }),
  );
}

/**
 * Returns the URL of the section of the errors guide about a kind (docs/contract/errors.md#error-object).
 * `publicUrl` has no trailing slash.
 */
export function errorDocsUrl(publicUrl: string, kind: ErrorKind): string {
  return `${publicUrl}/docs/errors#${kind}`;
}

/**
 * Returns the value as JSON in which every character beyond ASCII is escaped, so that each character is one
 * byte.
 */
export function asciiJson(value: unknown): string {
  return inAscii(JSON.stringify(value));
}

/** Escapes every character beyond ASCII in a text of JSON, or in a part of one. */
export function inAscii(json: string): string {
  return json.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export const OAUTH_TOKEN_PATH = '/oauth/token';

/**
 * The values of `error` in responses without an envelope: those of RFC 6749 §5.2 that can occur, and the two
 * of its §4.1.2.1 for errors of the server.
 */
export const OAUTH_ERRORS = [
  'invalid_request',
  'invalid_client',
  'invalid_scope',
  'unsupported_grant_type',
  'temporarily_unavailable',
  'server_error',
] as const;

export type OAuthError = (typeof OAUTH_ERRORS)[number];

const MAX_DESCRIBED_PROBLEMS = 10;

/** Returns the OAuth code for a kind of error. The HTTP status distinguishes kinds that share a code. */
export function oauthErrorOf(kind: ErrorKind): OAuthError {
  switch (kind) {
    case 'invalid_client':
    case 'invalid_scope':
    case 'unsupported_grant_type':
      return kind;
    case 'rate_limited':
    case 'unavailable':
      return 'temporarily_unavailable';
    case 'internal_error':
      return 'server_error';
    default:
      return 'invalid_request';
  }
}

/**
 * Returns the body of an error response to an OAuth client (RFC 6749 §5.2). `publicUrl` has no trailing slash.
 */
export function oauthErrorBody(error: StaveError, publicUrl: string): Buffer {
  return Buffer.from(
    JSON.stringify({
      error: oauthErrorOf(error.kind),
      error_description: descriptionOf(error),
      error_uri: errorDocsUrl(publicUrl, error.kind),
    }),
  );
}

/**
 * Returns one sentence with all problems, in the characters that RFC 6749 §5.2 allows: printable ASCII except
 * the quotation mark and the backslash.
 */
function descriptionOf({ kind, message, details = [] }: StaveError): string {
  return (details.length === 0 ? message : withDetails(summaryOf(kind, message), details))
    .replaceAll('"', "'")
    .replaceAll('…', '...')
    .replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?');
}

/** Replaces the message of an invalid request, because it repeats the first problem of the details. */
function summaryOf(kind: ErrorKind, message: string): string {
  return kind === 'invalid_request' ? 'The request is not valid' : message.replace(/\.$/, '');
}

function withDetails(summary: string, details: readonly FieldProblem[]): string {
  const problems = details.slice(0, MAX_DESCRIBED_PROBLEMS).map((problem) => problem.message);
  return `${summary}: ${problems.join('; ')}.`;
}

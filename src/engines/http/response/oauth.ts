import type { ErrorKind, FieldProblem, StaveError } from '../../../common/errors.ts';
import { errorDocsUrl } from './error-docs.ts';

/** The path at which an OAuth client requests a token. */
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

/** The most problems in one description. */
const MAX_TOLD = 10;

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
  const problems = details.slice(0, MAX_TOLD).map((problem) => problem.message);
  return `${summary}: ${problems.join('; ')}.`;
}

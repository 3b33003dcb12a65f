import { inspect } from 'node:util';
import { ERROR_KINDS, type ErrorKind, type FieldProblem, StaveError } from '../kernel/errors.ts';

/** The 400 that reports all problems of a request together; there is at least one. */
export function invalidRequest(problems: readonly FieldProblem[]): StaveError {
  const first = problems[0]!.message;
  const others = problems.length - 1;
  const more = others === 1 ? 'one more problem is' : `${others} more problems are`;
  return new StaveError(
    'invalid_request',
    others === 0 ? `${first}.` : `${first}; ${more} listed in details.`,
    { details: problems },
  );
}

/** The node cannot answer now. `retrySeconds` is at least 1. */
export function unavailable(message: string, retrySeconds: number): StaveError {
  return new StaveError('unavailable', message, {
    headers: { 'Retry-After': String(retrySeconds) },
  });
}

/** Kinds by status, for errors that are known by their status alone; the first kind of each. */
const KIND_BY_STATUS = new Map<number, ErrorKind>();
for (const [kind, { status }] of Object.entries(ERROR_KINDS) as [ErrorKind, { status: number }][]) {
  if (!KIND_BY_STATUS.has(status)) {
    KIND_BY_STATUS.set(status, kind);
  }
}

/** What a caller is told of errors that Fastify and its plugins raise, by kind. */
const PLAIN_MESSAGES: Partial<Record<ErrorKind, string>> = {
  invalid_request: 'The request is malformed.',
  not_found: 'There is nothing at this path.',
  payload_too_large: 'The body is too large.',
  unsupported_media_type: 'The body is of a type that is not read here.',
  precondition_failed: 'A precondition header does not hold.',
  range_not_satisfiable: 'The range lies outside the file.',
};

/**
 * What the caller is told of anything that was thrown. A StaveError is itself; an error of Fastify
 * or a plugin keeps its status where that is the caller's doing; all else is internal_error, and
 * nothing of it but its log line is seen.
 */
export function asStaveError(thrown: unknown): StaveError {
  if (thrown instanceof StaveError) {
    return thrown;
  }
  const status = (thrown as { statusCode?: unknown } | null | undefined)?.statusCode;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    const kind = KIND_BY_STATUS.get(status);
    const message = kind && PLAIN_MESSAGES[kind];
    if (kind !== undefined && message !== undefined) {
      return new StaveError(kind, message);
    }
  }
  return new StaveError(
    'internal_error',
    'Stave failed to answer; quote the requestId to the operator.',
    { cause: thrown instanceof Error ? thrown : notAnError(thrown) },
  );
}

function notAnError(thrown: unknown): Error {
  const shown = inspect(thrown, { depth: 1, breakLength: Number.POSITIVE_INFINITY });
  return new Error(`Something that is no Error was thrown: ${shown.slice(0, 200)}`);
}

import { inspect } from 'node:util';
import { OperatorError, StaveError } from '../../../common/errors.ts';

/**
 * Thrown if the caller has closed the connection, so that no response is possible. This is no error of Stave.
 */
export class CallerGone extends Error {
  constructor() {
    super('The caller left before the request was complete.');
    this.name = 'CallerGone';
  }
}

/**
 * Converts anything that was thrown into the error to send. A StaveError stays as it is. An OperatorError
 * becomes `unavailable`. Everything else becomes `internal_error`, whose cause appears only in the log.
 */
export function asStaveError(thrown: unknown): StaveError {
  if (thrown instanceof StaveError) {
    return thrown;
  }
  // A state that only the operator can fix, such as a database that refuses this node, is not permanent.
  if (thrown instanceof OperatorError) {
    return new StaveError('unavailable', 'This node cannot answer now; try again in a moment.', {
      headers: { 'Retry-After': '5' },
      cause: thrown,
    });
  }
  return new StaveError(
    'internal_error',
    'Stave failed to answer; quote the requestId to the operator.',
    { cause: thrown instanceof Error ? thrown : notAnError(thrown) },
  );
}

function notAnError(thrown: unknown): Error {
  const shown = inspect(thrown, { depth: 1, breakLength: Number.POSITIVE_INFINITY });
  return new Error(`A value that is not an Error was thrown: ${shown.slice(0, 200)}`);
}

import { type ErrorKind, StaveError } from '../errors.ts';
import { OperatorError } from '../operator-error.ts';

/** An error in a form that can be sent to another thread. A plain transfer would lose its class and most members. */
export interface SerializedError {
  /** The class that `deserializeError` restores; null for a plain Error. */
  type: 'OperatorError' | 'StaveError' | null;
  message: string;
  /** The name, the stack, and `code`, `errcode`, `path` and `syscall` of system and database errors. */
  members: Readonly<Record<string, unknown>>;
  /** The members that only a StaveError has. */
  stave?: { kind: ErrorKind; headers: Record<string, string> };
  cause?: SerializedError;
}

/** An error of the system or of SQLite, which numbers its errors. */
type SystemError = NodeJS.ErrnoException & { errcode?: number };

/** The greatest depth of causes that is sent; an error may be its own cause. */
const MAX_CAUSES = 5;

/** Converts an error for sending. A value that is not an error becomes an error with its text as message. */
export function serializeError(error: unknown, depth = 0): SerializedError {
  if (!(error instanceof Error)) return { type: null, message: String(error), members: {} };
  const { name, stack, code, errcode, path, syscall } = error as SystemError;
  const members = Object.entries({ name, stack, code, errcode, path, syscall });
  return {
    type:
      error instanceof OperatorError
        ? 'OperatorError'
        : error instanceof StaveError
          ? 'StaveError'
          : null,
    message: error.message,
    members: Object.fromEntries(members.filter(([, value]) => value !== undefined)),
    ...(error instanceof StaveError && {
      stave: { kind: error.kind, headers: { ...error.headers } },
    }),
    ...(error.cause !== undefined &&
      depth < MAX_CAUSES && { cause: serializeError(error.cause, depth + 1) }),
  };
}

/** Restores an error from its sent form. */
export function deserializeError({ type, message, members, stave, cause }: SerializedError): Error {
  const options = cause && { cause: deserializeError(cause) };
  const error =
    type === 'OperatorError'
      ? new OperatorError(message, options)
      : type === 'StaveError'
        ? new StaveError(stave!.kind, message, { headers: stave!.headers, ...options })
        : new Error(message, options);
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(error, name, { value, configurable: true, writable: true });
  }
  return error;
}

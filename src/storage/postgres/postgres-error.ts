import { StaveError } from '../../kernel/errors.ts';
import { OperatorError } from '../../kernel/operator-error.ts';

/** SQLSTATE classes and codes (postgresql.org/docs/15/errcodes-appendix.html) that the program tells apart. */
const SERIALIZATION_FAILURES = new Set(['40001', '40P01']);
/** The server is going, gone or not there yet, or lost this session. */
const CONNECTION_STATES = new Set(['57P01', '57P02', '57P03', '57P05', '25P03']);
const TOO_MANY_CONNECTIONS = '53300';
const LOCK_NOT_AVAILABLE = '55P03';
const READ_ONLY = '25006';
/** Of prepared statements: none of that name, or one already. */
const STATEMENT_STATES = new Set(['26000', '42P05']);
const PROTOCOL_VIOLATION = '08P01';

/** Of the socket (Node's), and of the driver, which has no codes for these. */
const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);
const TIMEOUT_MESSAGES = /timeout expired|query read timeout/i;
const DRIVER_MESSAGES =
  /connection terminated|connection ended|client was closed|not queryable|timeout expired|query read timeout/i;

/** What the operator reads for codes that only the operator can mend. */
const OPERATOR_MESSAGES: Readonly<Record<string, string>> = {
  '28000': 'refuses this user: check the user, and pg_hba.conf on its side',
  '28P01': 'refuses the password: check STAVE_DATABASE_URL',
  '3D000': 'has no database of that name: create it, or check STAVE_DATABASE_URL',
  '42501': 'does not allow this user what Stave needs: make the user the owner of the database',
  '53100': 'is out of disk space: free some, and try again',
  [READ_ONLY]: 'is read-only: name the primary in STAVE_DATABASE_URL, not a replica',
};

/** Whether doing the whole transaction again may succeed. */
export function isSerializationFailure(error: unknown): boolean {
  return SERIALIZATION_FAILURES.has(codeOf(error));
}

/** Whether the connection, and perhaps the server, is gone; nothing is known of the statement's fate. */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  return (
    CONNECTION_STATES.has(code) ||
    (code.startsWith('08') && (code !== PROTOCOL_VIOLATION || isFatal(error))) ||
    SOCKET_CODES.has(code) ||
    (code === '' && error instanceof Error && DRIVER_MESSAGES.test(error.message))
  );
}

/** PgBouncer ends a session with this code for nearly every reason; PostgreSQL's own is a fault of ours. */
function isFatal(error: unknown): boolean {
  return (
    (error as { severity?: unknown }).severity === 'FATAL' && !isStartupParameterRefused(error)
  );
}

/** Whether the server refuses to write at all: it is a replica, or was told so. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === READ_ONLY;
}

/** Whether the driver waited in vain. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && TIMEOUT_MESSAGES.test(error.message);
}

/** Whether there was no connection to be had: all are in use, here or on the server. */
export function isPoolExhausted(error: unknown): boolean {
  return (
    codeOf(error) === TOO_MANY_CONNECTIONS ||
    (error instanceof Error && error.message === 'timeout exceeded when trying to connect')
  );
}

/** Whether a prepared statement was not where it was made: something in between shares connections. */
export function isStatementMislaid(error: unknown): boolean {
  return STATEMENT_STATES.has(codeOf(error));
}

/** Whether a startup parameter was refused, as PgBouncer does with all that it does not know. */
export function isStartupParameterRefused(error: unknown): boolean {
  return codeOf(error) === PROTOCOL_VIOLATION && /startup parameter/.test((error as Error).message);
}

/** What a caller is told while the database is away; the reason is for the log. */
export function databaseAway(cause: unknown): StaveError {
  return new StaveError('unavailable', 'The database cannot be reached; try again in a moment.', {
    headers: { 'Retry-After': '1' },
    cause,
  });
}

/** What a caller is told while all connections are in use. */
export function databaseBusy(cause: unknown): StaveError {
  return new StaveError('unavailable', 'The database has too much to do; try again in a moment.', {
    headers: { 'Retry-After': '1' },
    cause,
  });
}

/** An error of one clear line for what the operator can mend; else the error itself. `name` is the database's, without secrets. */
export function translatePostgresError(error: unknown, name: string): unknown {
  const code = codeOf(error);
  const meaning = OPERATOR_MESSAGES[code];
  if (meaning !== undefined) {
    return new OperatorError(`The database ${name} ${meaning}.`, { cause: error });
  }
  if (code === LOCK_NOT_AVAILABLE) {
    return new OperatorError(
      `The database is busy: another process has been writing to ${name} for long; try again later.`,
      { cause: error },
    );
  }
  if (isConnectionLoss(error)) return databaseAway(error);
  return isPoolExhausted(error) ? databaseBusy(error) : error;
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

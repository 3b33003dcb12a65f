import { OperatorError, StaveError } from '../../../../common/errors.ts';
import { oneLine } from '../../../../common/text/explain.ts';

/**
 * SQLSTATE classes and codes (postgresql.org/docs/15/errcodes-appendix.html) that the program distinguishes.
 */
const SERIALIZATION_FAILURES = new Set(['40001', '40P01']);
/** The server is stopping, starting or gone, or has ended this session. */
const CONNECTION_STATES = new Set(['57P01', '57P02', '57P03', '57P05', '25P03']);
const TOO_MANY_CONNECTIONS = '53300';
const LOCK_NOT_AVAILABLE = '55P03';
/** A statement took longer than its timeout. */
const QUERY_CANCELED = '57014';
/** A write was attempted in a read-only transaction, or on a read-only server. */
export const READ_ONLY = '25006';
/** A prepared statement of this name does not exist, or exists already. */
const STATEMENT_STATES = new Set(['26000', '42P05']);
const PROTOCOL_VIOLATION = '08P01';
/** Codes of Node's sockets, and messages of the driver, which has no codes for these errors. */
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
/** The message of the pool, which gives no code. */
const POOL_CLOSED = 'Cannot use a pool after calling end on the pool';
const TIMEOUT_MESSAGES = /timeout expired|query read timeout/i;
const DRIVER_MESSAGES =
  /received invalid response|received unexpected|connection terminated|connection ended|client was closed|not queryable|timeout expired|query read timeout/i;

/** The messages of all versions of PgBouncer. */
const REFUSALS = /no such (database|user)|authentication|password|not allowed/i;

const USER_REFUSED = '28000';

/** The messages for codes that only the operator can fix. */
const OPERATOR_MESSAGES: Readonly<Record<string, string>> = {
  [USER_REFUSED]: 'refuses this user: check the user, and pg_hba.conf on its side',
  '28P01': 'refuses the password: check STAVE_DATABASE_URL',
  '3D000': 'has no database of that name: create it, or check STAVE_DATABASE_URL',
  '42501': 'does not allow this user what Stave needs: make the user the owner of the database',
  '53100': 'is out of disk space: free some, and try again',
  [READ_ONLY]:
    'is read-only: name the primary in STAVE_DATABASE_URL, not a replica, and let its user write (default_transaction_read_only is off)',
};

/** The codes of OpenSSL and Node.js for a certificate whose authority is not among those that are trusted. */
const UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Returns what is wrong with the encryption, and what to do; undefined for any other error. */
export function tlsAdvice(error: unknown): string | undefined {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  if (/does not support SSL connections/.test(message)) {
    return 'offers no TLS: switch it on there (ssl = on), or set sslmode=disable in STAVE_DATABASE_URL';
  }
  if (code === USER_REFUSED && /no encryption|SSL off/.test(message)) {
    return 'refuses this user without encryption: set sslmode=verify-full and sslrootcert=FILE in STAVE_DATABASE_URL, or sslmode=require; or check the user, and pg_hba.conf on its side';
  }
  if (UNKNOWN_AUTHORITY.has(code)) {
    return `has a certificate of an authority that is not trusted (${code}): name the file with the certificate of this authority by sslrootcert=FILE in STAVE_DATABASE_URL`;
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `has a certificate for another name (${oneLine(message)}): use a name of the certificate in STAVE_DATABASE_URL, or sslmode=verify-ca`;
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return `has a certificate that is not valid now (${code}): renew it there, and check the clocks`;
  }
  return /^ERR_(SSL|TLS|OSSL)_/.test(code)
    ? `refuses TLS (${oneLine(message)}): check sslcert, sslkey and the log of the server`
    : undefined;
}

/** Whether pg_hba.conf has no entry for the user, the address and the encryption. Also of a translated error. */
export function isUserRefused(error: unknown): boolean {
  return codeOf((error as Error).cause ?? error) === USER_REFUSED;
}

/** Whether repeating the whole transaction may succeed. */
export function isSerializationFailure(error: unknown): boolean {
  return SERIALIZATION_FAILURES.has(codeOf(error));
}

/**
 * Whether the connection, and perhaps the server, is lost. It is then unknown whether the statement had an
 * effect.
 */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  return (
    CONNECTION_STATES.has(code) ||
    (code.startsWith('08') && (code !== PROTOCOL_VIOLATION || isFatal(error))) ||
    SOCKET_CODES.has(code) ||
    (code === '' && error instanceof Error && DRIVER_MESSAGES.test(error.message))
  );
}

/**
 * PgBouncer ends a session with this code for almost every reason. From PostgreSQL, the code means a bug in
 * Stave.
 */
function isFatal(error: unknown): boolean {
  return (
    (error as { severity?: unknown }).severity === 'FATAL' && !isStartupParameterRefused(error)
  );
}

/** Whether the driver could not decode a response, which was damaged in transit. */
export function isUndecoded(error: unknown): boolean {
  return [TypeError, RangeError, SyntaxError].some((kind) => error instanceof kind);
}

/** Whether the server refuses all writes: it is a replica, or its configuration says so. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === READ_ONLY;
}

/** Whether a statement has waited too long for a lock, also if the error was translated. It has changed nothing. */
export function isLockTimeout(error: unknown): boolean {
  return [error, (error as Error | null)?.cause].some((one) => codeOf(one) === LOCK_NOT_AVAILABLE);
}

export function isTimeout(error: unknown): boolean {
  return error instanceof Error && TIMEOUT_MESSAGES.test(error.message);
}

/** Whether there was no free connection, in the pool or on the server. */
export function isPoolExhausted(error: unknown): boolean {
  return (
    codeOf(error) === TOO_MANY_CONNECTIONS ||
    // PgBouncer's code and message.
    (codeOf(error) === PROTOCOL_VIOLATION &&
      /no more connections/.test((error as Error).message)) ||
    (error instanceof Error && error.message === 'timeout exceeded when trying to connect')
  );
}

/** Whether the pool was closed. A request whose client is gone may outlast the drain of a node that stops. */
function isClosed(error: unknown): boolean {
  return error instanceof Error && error.message === POOL_CLOSED;
}

/** Whether the server asked for a password and none was given. The driver has no code for this. */
export function isPasswordMissing(error: unknown): boolean {
  return error instanceof Error && /client password must be a/.test(error.message);
}

/**
 * Whether a prepared statement is not on the connection where it was prepared, because something in between
 * shares connections.
 */
export function isStatementMislaid(error: unknown): boolean {
  return STATEMENT_STATES.has(codeOf(error));
}

/** Whether a startup parameter was refused. PgBouncer refuses every parameter that it does not know. */
export function isStartupParameterRefused(error: unknown): boolean {
  return codeOf(error) === PROTOCOL_VIOLATION && /startup parameter/.test((error as Error).message);
}

/** The error that a caller gets while the database is unavailable. The cause appears only in the log. */
export function databaseAway(cause: unknown): StaveError {
  return new StaveError('unavailable', 'The database cannot be reached; try again in a moment.', {
    cause,
  });
}

/** The error that a caller gets while all connections are in use, or too many writes wait. */
export function databaseBusy(cause?: unknown): StaveError {
  return new StaveError('unavailable', 'The database has too much to do; try again in a moment.', {
    cause,
  });
}

/**
 * Returns a one-line OperatorError if the operator can fix the error, otherwise the error itself. `name` is
 * the name of the database, without secrets.
 */
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
  if (isConnectionLoss(error) || isClosed(error)) return databaseAway(error);
  return isPoolExhausted(error) ? databaseBusy(error) : error;
}

/**
 * Returns what work that failed with this error waits for, if its wait policy allows; undefined if waiting
 * would not help.
 */
export function whyWait(error: unknown, name: string): string | undefined {
  if (error instanceof StaveError && error.cause !== undefined) {
    return error.kind === 'unavailable'
      ? (whyWait(error.cause, name) ?? awayFor(error.cause, name))
      : undefined;
  }
  const code = codeOf(error);
  if (code === LOCK_NOT_AVAILABLE) return `another process is writing to the database ${name}`;
  if (code === QUERY_CANCELED) return `the database ${name} takes too long to answer`;
  if (isPoolExhausted(error)) return `the database ${name} has no connection left`;
  return isConnectionLoss(error) ? awayFor(error, name) : undefined;
}

/**
 * Like `whyWait`, for an error of `findLink`, whose cause is the reason. Returns undefined for what looks
 * like a wrong setting: a host name that does not exist, or a refusal of PgBouncer without a specific code.
 */
export function whyWaitToConnect(error: unknown, name: string): string | undefined {
  const cause = error instanceof OperatorError ? error.cause : error;
  const isRefused =
    ['ENOTFOUND', 'ENOENT'].includes(codeOf(cause)) ||
    (codeOf(cause) === PROTOCOL_VIOLATION && REFUSALS.test((cause as Error).message));
  return isRefused ? undefined : whyWait(cause, name);
}

function awayFor(error: unknown, name: string): string {
  const [message] = String((error as Error).message ?? error).split('\n');
  return `the database ${name} cannot be reached (${codeOf(error) || message})`;
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

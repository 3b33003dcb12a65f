import { Socket } from 'node:net';
import { userInfo } from 'node:os';
import pg from 'pg';
import { OperatorError } from '../../../../common/errors.ts';
import {
  isConnectionLoss,
  isPasswordMissing,
  isPoolExhausted,
  isStartupParameterRefused,
  translatePostgresError,
} from './postgres-error.ts';
import { fromStored } from './values.ts';

/**
 * What is between Stave and the server: nothing, or PgBouncer. Through PgBouncer in transaction mode, a
 * session lasts for one transaction, so a setting, a prepared statement or a LISTEN does not last longer
 * either.
 */
export type Wiring = 'direct' | 'bouncer';

/** The time limit for getting a connection, new or from the pool. */
export const CONNECT_MS = 1_000;

/** In the form in which the server shows it. */
const STATEMENT_TIMEOUT = '1min';
/** These timeouts limit the damage of faults in Stave. Every statement of Stave takes far less time. */
const SESSION_SETTINGS = [
  `statement_timeout=${STATEMENT_TIMEOUT}`,
  'idle_in_transaction_session_timeout=15000',
  'default_transaction_isolation=read\\ committed',
  'jit=off',
];

/** The OIDs (pg_type.dat) of the types that Stave does not read in the way of the driver. */
const INT8 = 20;
const TEXT = 25;

const TYPES = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    // All numbers of Stave are below 2^53.
    if (oid === INT8) return Number;
    if (oid === TEXT) return fromStored;
    return pg.types.getTypeParser(oid, format as 'text');
  },
} as pg.CustomTypesConfig;

/**
 * Closes itself when the driver cannot read the bytes that it receives. The driver throws within an event handler, which
 * would end the process.
 */
class LinkSocket extends Socket {
  override emit(event: string, ...values: unknown[]): boolean {
    if (event !== 'data') return super.emit(event, ...values);
    try {
      return super.emit(event, ...values);
    } catch (cause) {
      this.destroy(new Error('Connection terminated: the response is damaged', { cause }));
      return true;
    }
  }
}

/** Returns the options of one connection. */
export function clientConfig(address: string, wiring: Wiring): pg.ClientConfig {
  const url = new URL(address);
  // The address names no user: uses the name of the current one, as libpq does.
  if (url.username === '') url.username = userName();
  const own = url.searchParams.get('options') ?? '';
  // A parameter in the address would override the option of the same name.
  if (wiring === 'direct') url.searchParams.delete('options');
  const settings = SESSION_SETTINGS.map((setting) => `-c ${setting}`);
  return {
    connectionString: url.href,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    stream: () => new LinkSocket(),
    application_name: 'stave',
    types: TYPES,
    ...(wiring === 'direct' && { options: [own, ...settings].join(' ').trim() }),
  };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, a user may have a number and no name.
    return 'stave';
  }
}

/** Returns the name of the database for messages: without user, password and parameters. */
export function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host || 'localhost'}${pathname}`;
}

/**
 * Connects once and detects the wiring. Throws a one-line OperatorError if the server cannot be used, or is
 * older than PostgreSQL 15.
 */
export async function findWiring(url: string): Promise<Wiring> {
  try {
    return (await tryWiring(url, 'direct')) ?? (await tryWiring(url, 'bouncer')) ?? 'bouncer';
  } catch (error) {
    if (isPoolExhausted(error)) {
      throw new OperatorError(
        `The database ${nameOf(url)} has no connection left to give (${(error as Error).message}): end some of those that are open, lower STAVE_DATABASE_POOL, or raise max_connections.`,
        { cause: error },
      );
    }
    if (isPasswordMissing(error)) {
      throw new OperatorError(
        `The database ${nameOf(url)} asks for a password, and none is given: put it into STAVE_DATABASE_URL, PGPASSWORD or ~/.pgpass.`,
      );
    }
    if (isConnectionLoss(error)) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw new OperatorError(
        `The database ${nameOf(url)} cannot be reached (${code ?? message}): start it, or check STAVE_DATABASE_URL.`,
        { cause: error },
      );
    }
    const translated = translatePostgresError(error, nameOf(url));
    if (translated instanceof OperatorError) throw translated;
    // An error of TLS or of the authentication, or a response of a server that is not PostgreSQL.
    const [reason] = (error as Error).message.split('\n');
    throw new OperatorError(
      `The database ${nameOf(url)} cannot be used (${reason}): check STAVE_DATABASE_URL.`,
      { cause: error },
    );
  }
}

/** Returns undefined if the server rejects the session settings. */
async function tryWiring(url: string, wiring: Wiring): Promise<Wiring | undefined> {
  const client = new pg.Client(clientConfig(url, wiring));
  // `connect` reports the error too. Without a listener, the event would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query(`
      SELECT current_setting('server_version_num')::int AS version,
             current_setting('server_encoding') AS encoding,
             current_setting('statement_timeout') AS timeout,
             pg_backend_pid() AS pid`);
    const { version, encoding, timeout, pid } = rows[0];
    if (version < 150_000) {
      throw new OperatorError(
        `The database ${nameOf(url)} is too old: Stave needs PostgreSQL 15 or later.`,
      );
    }
    if (encoding !== 'UTF8') {
      throw new OperatorError(
        `The database ${nameOf(url)} cannot hold every text (its encoding is ${encoding}): create one with ENCODING 'UTF8'.`,
      );
    }
    const { processID } = client as unknown as { processID: number };
    // A PgBouncer with `ignore_startup_parameters` silently drops the settings. If the database has the same
    // settings by chance, the process ids still differ.
    const isShared = timeout !== STATEMENT_TIMEOUT || pid !== processID;
    return wiring === 'direct' && isShared ? 'bouncer' : wiring;
  } catch (error) {
    if (wiring === 'direct' && isStartupParameterRefused(error)) return undefined;
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Throws unless a server answers within the time limit and accepts writes. Uses a new
 * connection, because those of a pool may all be in use or stuck. A server that has no free connection counts
 * as available, and its open work continues.
 */
export async function probe(url: string, wiring: Wiring, ms: number): Promise<void> {
  const client = new pg.Client({
    ...clientConfig(url, wiring),
    connectionTimeoutMillis: ms,
    query_timeout: ms,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query('SELECT pg_is_in_recovery() AS replica');
    if (rows[0].replica) throw new Error('The server is a replica by now');
  } catch (error) {
    if (!isPoolExhausted(error)) throw error;
  } finally {
    abandon(client);
  }
}

/** Closes a connection without waiting for the server, which may be stuck. */
export function abandon(client: pg.Client | pg.PoolClient): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  connection.stream.destroy();
}

import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { userInfo } from 'node:os';
import { type ConnectionOptions, createSecureContext, type SecureContext } from 'node:tls';
import pg from 'pg';
import { OperatorError } from '../../../../common/errors.ts';
import { meaningOf } from '../../../../common/text/explain.ts';
import {
  isSocket,
  isThisMachine,
  nameOf,
  type PostgresAddress,
  parseAddress,
  SYSTEM_ROOTS,
  withParameter,
} from './address.ts';
import {
  isConnectionLoss,
  isPasswordMissing,
  isPoolExhausted,
  isStartupParameterRefused,
  isUserRefused,
  tlsAdvice,
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

/**
 * Returns the options of connections by the URL of a link. Each connection reads the files of certificates again. Throws an
 * OperatorError if they cannot be used.
 */
export function clientConfig(url: string, wiring: Wiring): pg.ClientConfig {
  const address = parseAddress(url);
  const { host, port, user, password, database, applicationName, options } = address;
  const settings = SESSION_SETTINGS.map((setting) => `-c ${setting}`);
  return {
    host,
    port,
    // As libpq, it uses the name of the current user.
    user: user ?? userName(),
    database,
    ...(password !== undefined && { password }),
    ssl: tlsOf(address),
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    stream: () => new LinkSocket(),
    application_name: applicationName ?? 'stave',
    types: TYPES,
    options: (wiring === 'direct' ? [options, ...settings] : [options]).join(' ').trim(),
  };
}

function tlsOf(address: PostgresAddress): false | ConnectionOptions {
  const { mode, rootCert } = address;
  if (!usesTls(address)) return false;
  let usable = readFiles(address);
  return {
    rejectUnauthorized: rootCert !== undefined || mode === 'verify-full',
    // With a file of authorities, `require` verifies as `verify-ca` does.
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
    // The driver reads this for each connection.
    get secureContext() {
      try {
        usable = readFiles(address);
      } catch {
        // The files are being replaced, one after the other.
      }
      return usable;
    },
  };
}

function readFiles({ rootCert, cert, key }: PostgresAddress): SecureContext {
  const isFile = rootCert !== undefined && rootCert !== SYSTEM_ROOTS;
  const files = {
    ...(isFile && { ca: pemOf('sslrootcert', rootCert) }),
    ...(cert !== undefined && { cert: pemOf('sslcert', cert) }),
    ...(key !== undefined && { key: pemOf('sslkey', key) }),
  };
  try {
    return createSecureContext(files);
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    throw new OperatorError(
      `The files of sslrootcert, sslcert and sslkey of the database cannot be used (${reason}): check that they are whole, and that the key belongs to the certificate.`,
      { cause: error },
    );
  }
}

/** Of the modes that leave it open, `findLink` makes one that does not. */
function usesTls({ mode, host }: PostgresAddress): boolean {
  return ['require', 'verify-ca', 'verify-full'].includes(mode) && !isSocket(host);
}

function pemOf(parameter: string, path: string): string {
  let text = '';
  let reason = 'it is not PEM';
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    reason = meaningOf(error);
  }
  if (text.includes('-----BEGIN ')) return text;
  throw new OperatorError(
    `${path}, the ${parameter} of the database, cannot be used (${reason}): name a PEM file that this user may read.`,
  );
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, a user may have a number and no name.
    return 'stave';
  }
}

/** How to reach a server. */
export interface Link {
  /** The URL with the mode of TLS that the server accepts. */
  url: string;
  wiring: Wiring;
}

/**
 * Connects once, decides on TLS where the mode leaves it open, and detects the wiring. Throws a one-line OperatorError if
 * the server cannot be used, or is older than PostgreSQL 15.
 */
export async function findLink(url: string): Promise<Link> {
  const { mode, host } = parseAddress(url);
  const isOpen = (mode === 'allow' || mode === 'prefer') && !isSocket(host);
  if (!isOpen) return linkBy(url);
  const [encrypted, plain] = ['require', 'disable'].map((one) =>
    withParameter(url, 'sslmode', one),
  );
  const [first, second] = mode === 'allow' ? [plain!, encrypted!] : [encrypted!, plain!];
  try {
    return await linkBy(first);
  } catch (error) {
    if (!mayTryOtherMode(error)) throw error;
    return linkBy(second).catch((reason: unknown) => {
      // With TLS, the refusal does not speak of the missing encryption.
      const isRefusedTwice = isUserRefused(error) && isUserRefused(reason);
      throw isRefusedTwice && first === encrypted ? error : reason;
    });
  }
}

/** Whether the server may accept a connection with TLS instead of one without, or the reverse, as libpq tries. */
function mayTryOtherMode(error: unknown): boolean {
  return isUserRefused(error) || tlsAdvice((error as Error).cause) !== undefined;
}

/** Whether what is sent to this URL crosses a network without encryption. The mode must be decided. */
export function isPlainToOthers(url: string): boolean {
  const address = parseAddress(url);
  return !usesTls(address) && !isThisMachine(address.host);
}

async function linkBy(url: string): Promise<Link> {
  try {
    const wiring = (await tryWiring(url, 'direct')) ?? (await tryWiring(url, 'bouncer'));
    return { url, wiring: wiring ?? 'bouncer' };
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const advice = tlsAdvice(error);
    if (advice !== undefined) {
      throw new OperatorError(`The database ${nameOf(url)} ${advice}.`, { cause: error });
    }
    if (isPoolExhausted(error)) {
      throw new OperatorError(
        `The database ${nameOf(url)} has no connection left to give (${(error as Error).message}): end some of those that are open, lower STAVE_DATABASE_POOL, or raise max_connections.`,
        { cause: error },
      );
    }
    if (isPasswordMissing(error)) {
      throw new OperatorError(
        `The database ${nameOf(url)} asks for a password, and none is given: put it into STAVE_DATABASE_URL, PGPASSWORD or the file that PGPASSFILE names.`,
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
export async function probe(config: pg.ClientConfig, ms: number): Promise<void> {
  const client = new pg.Client({
    ...config,
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

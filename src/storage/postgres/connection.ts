import { userInfo } from 'node:os';
import pg from 'pg';
import { OperatorError } from '../../kernel/operator-error.ts';
import {
  isConnectionLoss,
  isPoolExhausted,
  isStartupParameterRefused,
  translatePostgresError,
} from './postgres-error.ts';
import { fromStored } from './text.ts';

/**
 * What lies between here and the server. Through PgBouncer in transaction mode a session lasts for
 * one transaction, so nothing may be set, prepared or listened to for longer.
 */
export type Wiring = 'direct' | 'bouncer';

/** How long it may take to get a connection, a new one or one of the pool. */
export const CONNECT_MS = 1_000;

/** As the server shows it. */
const STATEMENT_TIMEOUT = '1min';
/** Guards for what goes wrong on this side; every statement of ours takes less by far. */
const SESSION_SETTINGS = [
  `statement_timeout=${STATEMENT_TIMEOUT}`,
  'idle_in_transaction_session_timeout=15000',
  'default_transaction_isolation=read\\ committed',
  'jit=off',
];

/** OIDs of types (pg_type.dat) that are read otherwise than the driver does. */
const INT8 = 20;
const TEXT = 25;

const TYPES = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    // All our numbers are below 2^53.
    if (oid === INT8) return Number;
    if (oid === TEXT) return fromStored;
    return pg.types.getTypeParser(oid, format as 'text');
  },
} as pg.CustomTypesConfig;

/** The options of one connection. */
export function clientConfig(address: string, wiring: Wiring): pg.ClientConfig {
  const url = new URL(address);
  // As libpq does where the address names nobody.
  if (url.username === '') url.username = userName();
  const own = url.searchParams.get('options') ?? '';
  // A parameter of the address would win over the option beside it.
  if (wiring === 'direct') url.searchParams.delete('options');
  const settings = SESSION_SETTINGS.map((setting) => `-c ${setting}`);
  return {
    connectionString: url.href,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'stave',
    types: TYPES,
    ...(wiring === 'direct' && { options: [own, ...settings].join(' ').trim() }),
  };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // As in containers, where a user may be a number alone.
    return 'stave';
  }
}

/** The database as messages name it: without user, password and parameters. */
export function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host || 'localhost'}${pathname}`;
}

/**
 * Connects once, and tells what lies between. Throws OperatorError with one line where there is no
 * PostgreSQL 15 or later that lets us in.
 */
export async function findWiring(url: string): Promise<Wiring> {
  try {
    return (await tryWiring(url, 'direct')) ?? (await tryWiring(url, 'bouncer')) ?? 'bouncer';
  } catch (error) {
    if (isConnectionLoss(error) || isPoolExhausted(error)) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw new OperatorError(
        `The database ${nameOf(url)} cannot be reached (${code ?? message}): start it, or check STAVE_DATABASE_URL.`,
        { cause: error },
      );
    }
    const translated = translatePostgresError(error, nameOf(url));
    if (translated instanceof OperatorError) throw translated;
    // Of TLS, of the password's exchange, or of something that is no PostgreSQL.
    const [reason] = (error as Error).message.split('\n');
    throw new OperatorError(
      `The database ${nameOf(url)} cannot be used (${reason}): check STAVE_DATABASE_URL.`,
      { cause: error },
    );
  }
}

/** Undefined where the session settings are refused. */
async function tryWiring(url: string, wiring: Wiring): Promise<Wiring | undefined> {
  const client = new pg.Client(clientConfig(url, wiring));
  // Told by connect() too; without a listener it would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query(`
      SELECT current_setting('server_version_num')::int AS version,
             current_setting('server_encoding') AS encoding,
             current_setting('statement_timeout') AS timeout`);
    const { version, encoding, timeout } = rows[0];
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
    // A PgBouncer that was told to ignore what it does not know drops the settings without a word.
    return wiring === 'direct' && timeout !== STATEMENT_TIMEOUT ? 'bouncer' : wiring;
  } catch (error) {
    if (wiring === 'direct' && isStartupParameterRefused(error)) return undefined;
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Throws unless a server answers within the time, and, where `primary`, may be written to. On a
 * connection of its own: those of a pool may all be in use, or stuck. One that has no connection left
 * to give answers, and what it is at goes on.
 */
export async function probe(
  url: string,
  wiring: Wiring,
  primary: boolean,
  ms: number,
): Promise<void> {
  const client = new pg.Client({
    ...clientConfig(url, wiring),
    connectionTimeoutMillis: ms,
    query_timeout: ms,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query('SELECT pg_is_in_recovery() AS replica');
    if (primary && rows[0].replica) throw new Error('The server is a replica by now');
  } catch (error) {
    if (!isPoolExhausted(error)) throw error;
  } finally {
    abandon(client);
  }
}

/** Ends a connection without waiting for the server, which may be stuck. */
export function abandon(client: pg.Client | pg.PoolClient): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  connection.stream.destroy();
}

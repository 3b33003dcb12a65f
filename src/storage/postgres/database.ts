import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Log } from '../../kernel/log.ts';
import { Availability, PROBE_MS } from './availability.ts';
import { abandon, CONNECT_MS, clientConfig, nameOf, probe, type Wiring } from './connection.ts';
import { CHANNEL } from './listener.ts';
import {
  isConnectionLoss,
  isSerializationFailure,
  isStatementMislaid,
  translatePostgresError,
} from './postgres-error.ts';
import { copyChunks, parameter, type Value } from './values.ts';

export type { Value };

/** A row by the names of its columns. */
export type Row = Record<string, unknown>;

/** Held by every writer from before its first statement until its commit; any number will do. */
const WRITER_LOCK = 0x5374_7665;
/** How long a writer waits for the others. */
const LOCK_MS = 10_000;
const MOST_TRIES = 5;
/**
 * Longer than the server lets any statement take: what is silent for so long has lost its connection,
 * though others may pass (a router that forgot it).
 */
const GIVE_UP_MS = 70_000;

/**
 * The lock is taken by a statement of its own, so that what follows sees all that its last holder
 * committed, whatever isolation the database's own default is; and what is acknowledged is on the disk, whatever the server's configuration says.
 */
const BEGIN_WRITE = `
  BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL lock_timeout = ${LOCK_MS};
  SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off';
  SELECT pg_advisory_xact_lock(${WRITER_LOCK})`;
const BEGIN_VIEW = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** How a database is opened. */
export interface DatabaseOptions {
  url: string;
  wiring: Wiring;
  /** The most connections at a time. */
  pool: number;
  /** Whether it must be one that can be written to. */
  primary: boolean;
  log: Log;
}

/** The statements of one transaction, which ends when the function it was given to has. */
export interface Transaction {
  rows<T = Row>(sql: string, values?: readonly Value[]): Promise<T[]>;
  /** Statements without values, as they stand. */
  script(sql: string): Promise<void>;
  /** How many rows the statement changed. */
  run(sql: string, values?: readonly Value[]): Promise<number>;
  /** Wakes those who follow the change log, once this has committed. */
  wake(): void;
  /** Appends rows by COPY. `target` is a table with its columns; values in their order. */
  copy(target: string, rows: Iterable<readonly Value[]>): Promise<void>;
}

/**
 * A PostgreSQL database behind a pool of connections. Reads and writes are refused at once while the
 * server is away (StaveError `unavailable`), and again possible without anybody's doing.
 */
export class Database {
  readonly name: string;
  readonly availability: Availability;
  readonly #options: DatabaseOptions;
  readonly #statements = new Map<string, string>();
  /** Every connection there is. */
  readonly #clients = new Set<pg.PoolClient>();
  #pool: pg.Pool;
  #prepares: boolean;

  constructor(options: DatabaseOptions) {
    const { url, wiring, primary, log } = options;
    this.name = nameOf(url);
    this.#options = options;
    this.#prepares = wiring === 'direct';
    this.#pool = this.#newPool();
    this.availability = new Availability({
      probe: () => probe(url, wiring, primary, PROBE_MS),
      onAway: (reason) => {
        log.error({ database: this.name, err: reason }, 'the database cannot be reached');
        this.#renewPool();
      },
      onBack: (ms) => log.info({ database: this.name, ms: Math.round(ms) }, 'the database is back'),
    });
  }

  /** How many connections are open, and how many calls wait for one. */
  get load(): { open: number; waiting: number } {
    return { open: this.#pool.totalCount, waiting: this.#pool.waitingCount };
  }

  /** The rows of one statement that only reads: one consistent view. Tried again on a new connection. */
  async rows<T = Row>(sql: string, values: readonly Value[] = []): Promise<T[]> {
    return this.#guarded(async () => {
      for (let tries = 1; ; tries++) {
        const client = await this.#pool.connect();
        let failure: unknown;
        try {
          return (await this.#query(client, sql, values)).rows as T[];
        } catch (error) {
          failure = error;
          if (tries === MOST_TRIES || !this.#isWorthATry(error)) throw error;
        } finally {
          client.release(isConnectionLoss(failure));
        }
      }
    });
  }

  /** Several statements that only read, on one consistent view. */
  view<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#transaction(BEGIN_VIEW, work);
  }

  /**
   * A write transaction, alone: it holds the lock of all writers, so what it checks stays true until
   * its commit, and commits are in the order of the change log. Once the promise resolves, the change
   * is on the disk. The work may be done again, on a new transaction, where PostgreSQL asks for it.
   */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#transaction(BEGIN_WRITE, work);
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    if (this.availability.isAway) this.#abandonAll();
    // Waits for what is under way; that is given up where an outage turns out meanwhile.
    if (!pool.ending) await pool.end();
    this.availability.stop();
    if (!this.#pool.ending) await this.#pool.end();
  }

  async #transaction<T>(begin: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#guarded(() => this.#transactionOnce(begin, work));
      } catch (error) {
        if (tries === MOST_TRIES || !this.#isUndone(error)) throw error;
      }
    }
  }

  async #transactionOnce<T>(begin: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let isBroken = false;
    try {
      await client.query(begin);
      const transaction = this.#statementsOn(client);
      const result = await work(transaction);
      // Whoever follows the log is woken by the commit, and only by that.
      await client.query(transaction.isAwaited ? `NOTIFY ${CHANNEL}; COMMIT` : 'COMMIT');
      return result;
    } catch (error) {
      isBroken = isConnectionLoss(error);
      if (!isBroken) {
        await client.query('ROLLBACK').catch(() => {
          isBroken = true;
        });
      }
      throw error;
    } finally {
      client.release(isBroken);
    }
  }

  #statementsOn(client: pg.PoolClient): Transaction & { isAwaited: boolean } {
    const transaction = {
      isAwaited: false,
      wake: () => {
        transaction.isAwaited = true;
      },
      rows: async <T>(sql: string, values: readonly Value[] = []) =>
        (await this.#query(client, sql, values)).rows as T[],
      script: async (sql: string) => {
        await client.query(sql);
      },
      run: async (sql: string, values: readonly Value[] = []) =>
        (await this.#query(client, sql, values)).rowCount ?? 0,
      copy: async (target: string, rows: Iterable<readonly Value[]>) => {
        const stream = client.query(copyFrom(`COPY ${target} FROM STDIN`));
        await pipeline(Readable.from(copyChunks(rows)), stream);
      },
    };
    return transaction;
  }

  async #query(client: pg.PoolClient, sql: string, values: readonly Value[]) {
    const parameters = values.map(parameter);
    const result = await client.query({
      ...(this.#prepares && { name: this.#nameOf(sql) }),
      text: sql,
      values: parameters,
      query_timeout: GIVE_UP_MS,
    } as pg.QueryConfig);
    this.availability.answered();
    return result;
  }

  /** One name a text, the same in every process: where connections are shared, they meet. */
  #nameOf(sql: string): string {
    let name = this.#statements.get(sql);
    if (name === undefined) {
      name = `stave_${createHash('sha256').update(sql).digest('base64url').slice(0, 22)}`;
      this.#statements.set(sql, name);
    }
    return name;
  }

  /** Whether a read that failed may succeed on another connection. */
  #isWorthATry(error: unknown): boolean {
    return this.#isUndone(error) || (isConnectionLoss(error) && !this.availability.isAway);
  }

  /** Whether nothing came of it for certain, and doing it again may succeed. */
  #isUndone(error: unknown): boolean {
    if (isStatementMislaid(error)) {
      // Something between here and the server shares connections, and did not say so.
      this.#prepares = false;
      return true;
    }
    return isSerializationFailure(error);
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.availability.run(work);
    } catch (error) {
      throw translatePostgresError(error, this.name);
    }
  }

  #newPool(): pg.Pool {
    const { url, wiring, pool: max } = this.#options;
    const pool = new pg.Pool({
      ...clientConfig(url, wiring),
      max,
      connectionTimeoutMillis: CONNECT_MS,
      idleTimeoutMillis: 60_000,
      allowExitOnIdle: true,
    });
    // Of idle connections; those in use reject their statement.
    pool.on('error', (error) => void this.availability.suspect(error));
    pool.on('connect', (client) => {
      // While it is in use, what it was asked for rejects; unheard, the error would end the process.
      client.on('error', () => {});
      this.#clients.add(client);
    });
    pool.on('remove', (client) => {
      this.#clients.delete(client);
    });
    return pool;
  }

  /** After an outage no connection of before is trusted: its server may be stuck, or another one. */
  #renewPool(): void {
    const old = this.#pool;
    this.#pool = this.#newPool();
    void old.end().catch(() => {});
    this.#abandonAll();
  }

  #abandonAll(): void {
    for (const client of this.#clients) abandon(client);
    this.#clients.clear();
  }
}

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { WaitPolicy } from '../../../common/work/wait-policy.ts';
import { nameOf } from './link/address.ts';
import { Availability, IMPATIENT, PATIENT } from './link/availability.ts';
import { clientConfig, probe } from './link/connection.ts';
import { Connections } from './link/connections.ts';
import { CHANNEL } from './link/listener.ts';
import {
  databaseAway,
  isConnectionLoss,
  isSerializationFailure,
  isStatementMislaid,
  isUndecoded,
  translatePostgresError,
  whyWait,
} from './link/postgres-error.ts';
import {
  beginView,
  beginWrite,
  type DatabaseOptions,
  type MarkedWrite,
  PATIENT_STATEMENT_MS,
  type Row,
  type Transaction,
  WriteMarks,
  type WriteOptions,
  type WriteTurns,
  writeTurns,
} from './link/transaction.ts';
import { copyChunks, parameter, statementName, type Value } from './link/values.ts';

export type { DatabaseOptions, Row, Transaction, Value };

const MAX_TRIES = 5;
/** Longer than the timeout of any statement on the server. It applies only when the server cannot be asked. */
const GIVE_UP_MS = 70_000;
const PATIENT_GIVE_UP_MS = PATIENT_STATEMENT_MS + 10_000;

/**
 * A PostgreSQL database behind a pool of connections. During an outage it rejects reads and writes at once
 * (StaveError `unavailable`), and it recovers by itself. With a wait policy, reads and writes wait for the
 * end of the outage, and lost ones are repeated.
 */
export class Database {
  readonly name: string;
  readonly availability: Availability;
  readonly #waitPolicy: WaitPolicy;
  readonly #connections: Connections;
  readonly #marks = new WriteMarks();
  readonly #inTurn: WriteTurns;
  #prepares: boolean;

  constructor(options: DatabaseOptions) {
    const { url, wiring, log, waitPolicy = WaitPolicy.none } = options;
    this.name = nameOf(url);
    this.#waitPolicy = waitPolicy;
    this.#prepares = wiring === 'direct';
    this.#inTurn = writeTurns(waitPolicy);
    const config = clientConfig(url, wiring);
    this.#connections = new Connections({
      ...options,
      config,
      onHeard: () => this.availability.answered(),
      onFault: (error) => void this.availability.suspect(error),
    });
    this.availability = new Availability({
      patience: () => (waitPolicy.ms > 0 ? PATIENT : IMPATIENT),
      probe: (ms) => probe(config, ms),
      onAway: (reason) => {
        const { code, message } = reason as NodeJS.ErrnoException;
        const fields = { database: this.name, code, reason: message };
        log.error(fields, 'the database cannot be reached');
        this.#connections.renew();
      },
      onBack: (ms) => log.info({ database: this.name, ms: Math.round(ms) }, 'the database is back'),
    });
  }

  /** The number of open connections, and the number of calls that wait for one. */
  get poolUsage(): { open: number; waiting: number } {
    return this.#connections.poolUsage;
  }

  /**
   * Returns the rows of one statement, which is a transaction without the lock of all writers. Tries again on a new
   * connection; a statement that writes only if nothing was committed.
   */
  rows<T = Row>(sql: string, values: readonly Value[] = [], { writes = false } = {}): Promise<T[]> {
    return this.#guarded(() =>
      this.#repeatedly(
        () => this.#rowsOnce<T>(sql, values),
        (error) => (writes ? this.#isUndone(error) : this.#isWorthATry(error)),
      ),
    );
  }

  /** Runs several statements that only read, on one consistent view. Tries again, as `rows` does. */
  view<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#guarded(() =>
      this.#repeatedly(
        () => this.#transactionOnce(beginView(this.#waitPolicy.ms > 0), work),
        (error) => this.#isWorthATry(error),
      ),
    );
  }

  /**
   * Runs a write transaction. It holds the lock of all writers, so what it checks stays true until the
   * commit, and the order of commits is the order of the change log. Once the promise resolves, the change is
   * on disk. The work may run again in a new transaction if PostgreSQL requires it. With a wait policy, it
   * may also run again after the connection was lost, once it is known that nothing was committed.
   */
  async write<T>(
    work: (transaction: Transaction) => Promise<T>,
    options: WriteOptions = {},
  ): Promise<T> {
    const isPatient = this.#waitPolicy.ms > 0;
    const slot = isPatient && !options.isIdempotent ? this.#marks.take() : undefined;
    const write: MarkedWrite<T> | undefined = slot && { slot, unconfirmed: undefined };
    const begin = beginWrite(isPatient, options, slot?.lock);
    const run = () =>
      this.#guarded(() =>
        this.#repeatedly(
          () => this.#transactionOnce(begin, work, write),
          (error) => this.#isUndone(error),
        ),
      );
    try {
      return await (options.isApart ? run() : this.#inTurn(run));
    } finally {
      if (slot !== undefined) this.#marks.release(slot);
    }
  }

  async close(): Promise<void> {
    if (this.availability.isAway) this.#connections.abandonAll();
    else if (this.#marks.isUsed) {
      // If this fails, the marks expire.
      const once = () => this.#marks.clear((sql, values = []) => this.#rowsOnce(sql, values));
      await this.availability.run(once).catch(() => {});
    }
    // What fails from now on fails because of the close.
    this.availability.stop();
    await this.#connections.close();
  }

  async #repeatedly<T>(once: () => Promise<T>, mayRepeat: (error: unknown) => boolean): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await once();
      } catch (error) {
        if (tries === MAX_TRIES || !mayRepeat(error)) throw error;
      }
    }
  }

  async #rowsOnce<T>(sql: string, values: readonly Value[]): Promise<T[]> {
    const client = await this.#connections.take();
    let failure: unknown;
    try {
      return (await this.#query(client, sql, values)).rows as T[];
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      client.release(isConnectionLoss(failure));
    }
  }

  /** `write` tells whether an earlier attempt was committed; its result is then returned. */
  async #transactionOnce<T>(
    begin: string,
    work: (tx: Transaction) => Promise<T>,
    write?: MarkedWrite<T>,
  ): Promise<T> {
    const client = await this.#connections.take();
    let isBroken = false;
    try {
      const transaction = this.#statementsOn(client);
      const isUnconfirmed = write?.unconfirmed !== undefined;
      if (write === undefined) {
        await transaction.script(begin);
      } else if (await write.slot.begin(transaction, begin, isUnconfirmed)) {
        await this.#send(client, 'ROLLBACK', client.query('ROLLBACK'));
        return write.unconfirmed!.result;
      }
      const result = await work(transaction);
      if (write !== undefined) write.unconfirmed = { result };
      // The commit, and nothing else, wakes the followers of the log.
      const commit = transaction.isAwaited ? `NOTIFY ${CHANNEL}; COMMIT` : 'COMMIT';
      await this.#send(client, commit, client.query(commit)).catch((error: unknown) => {
        isBroken = true;
        throw error;
      });
      return result;
    } catch (error) {
      isBroken ||= isConnectionLoss(error);
      if (!isBroken) {
        await this.#send(client, 'ROLLBACK', client.query('ROLLBACK')).catch(() => {
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
        await this.#send(client, sql, client.query(sql));
      },
      result: async (sql: string, values: readonly Value[] = []) => {
        const { rows, rowCount } = await this.#query(client, sql, values);
        return { rows, rowCount: rowCount ?? 0 };
      },
      copy: async (target: string, rows: Iterable<readonly Value[]>) => {
        const sql = `COPY ${target} FROM STDIN`;
        const stream = client.query(copyFrom(sql));
        await this.#send(client, sql, pipeline(Readable.from(copyChunks(rows)), stream));
      },
    };
    return transaction;
  }

  async #query(client: pg.PoolClient, sql: string, values: readonly Value[]) {
    const parameters = values.map(parameter);
    const result = client.query({
      ...(this.#prepares && { name: statementName(sql) }),
      text: sql,
      values: parameters,
      query_timeout: this.#waitPolicy.ms > 0 ? PATIENT_GIVE_UP_MS : GIVE_UP_MS,
    } as pg.QueryConfig);
    try {
      return await this.#send(client, sql, result);
    } catch (error) {
      throw isUndecoded(error) ? databaseAway(error) : error;
    }
  }

  /** Waits for the result of a statement. Rejects if the connection is lost. */
  async #send<T>(client: pg.PoolClient, sql: string, pending: Promise<T>): Promise<T> {
    const result = await this.#connections.during(client, sql, pending);
    this.availability.answered();
    return result;
  }

  /** Whether a read that failed may succeed on another connection. */
  #isWorthATry(error: unknown): boolean {
    return this.#isUndone(error) || (isConnectionLoss(error) && !this.availability.isAway);
  }

  /** Whether the failed transaction certainly changed nothing, and may succeed if repeated. */
  #isUndone(error: unknown): boolean {
    if (isStatementMislaid(error)) {
      // Something between Stave and the server shares connections, and was not detected.
      this.#prepares = false;
      return true;
    }
    return isSerializationFailure(error);
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    let last: Promise<unknown> | undefined;
    const once = async () => {
      // A rejected attempt must have ended before the next one begins.
      await last;
      return this.availability.run(() => {
        const result = work();
        last = result.catch(() => {});
        return result;
      });
    };
    try {
      return await this.#waitPolicy.run(once, (error) => whyWait(error, this.name));
    } catch (error) {
      throw translatePostgresError(error, this.name);
    }
  }
}

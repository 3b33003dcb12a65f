import { DAY_MS } from '../../../../common/clock.ts';
import { newId } from '../../../../common/ids.ts';
import type { Log } from '../../../../common/log.ts';
import { limited } from '../../../../common/work/limited.ts';
import type { WaitPolicy } from '../../../../common/work/wait-policy.ts';
import type { Wiring } from './connection.ts';
import { databaseBusy } from './postgres-error.ts';
import type { Value } from './values.ts';

/**
 * Every writer, except those apart, holds this lock from before its first statement until its commit. The number
 * is arbitrary.
 */
const WRITER_LOCK = 0x5374_7665;
const LOCK_OF_ALL_WRITERS = `SELECT pg_advisory_xact_lock(${WRITER_LOCK})`;
/** How long a writer waits for the lock, and before that for its turn in this process. */
const LOCK_MS = 10_000;
/** With a wait policy, it tries again after this time, and can report meanwhile that it waits. */
const PATIENT_LOCK_MS = 2_000;
/** The timeout of a statement in milliseconds, with a wait policy. */
export const PATIENT_STATEMENT_MS = 300_000;
const WITH_TIME = `SET LOCAL statement_timeout = ${PATIENT_STATEMENT_MS}`;

const FLUSHED = `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'`;
const UNFLUSHED = 'SET LOCAL synchronous_commit = off';

/**
 * Returns the statements that begin a write transaction. A statement of its own takes the lock, so that the
 * next statements see all commits of the last holder, whatever isolation level is the default of the
 * database. The commit waits for the disk unless it is unflushed, whatever the configuration of the server says.
 * Statements find rows by indexes: an import fills a table faster than the server counts its rows, and the server would
 * keep scanning a table that was small when the plan was made. The server gives a scan that it cannot avoid a cost so
 * high that it would compile the statement (JIT), which takes more than 100 ms.
 *
 * @param lock the statement that takes the lock of a transaction apart, if it needs one
 */
export function beginWrite(
  isPatient: boolean,
  { isApart = false, isUnflushed = false }: WriteOptions = {},
  lock = '',
): string {
  return `
  BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL enable_seqscan = off;
  SET LOCAL jit = off;
  SET LOCAL lock_timeout = ${isPatient ? PATIENT_LOCK_MS : LOCK_MS};
  ${isUnflushed ? UNFLUSHED : FLUSHED};
  ${isPatient ? `${WITH_TIME};` : ''}
  ${isApart ? lock : LOCK_OF_ALL_WRITERS}`;
}

/** Returns the statements that begin a transaction of several reads. */
export function beginView(isPatient: boolean): string {
  const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
  return isPatient ? `${begin}; ${WITH_TIME}` : begin;
}

export interface WriteOptions {
  /** Whether the work may run twice, even before the tables exist that record whether it was committed. */
  isIdempotent?: boolean;
  /** Whether it does not take the lock of all writers, so that it must not append to the change log. */
  isApart?: boolean;
  /** Whether its commit does not wait for the disk, so that a failure of the machine may undo it. */
  isUnflushed?: boolean;
}

export type Row = Record<string, unknown>;

export interface DatabaseOptions {
  url: string;
  wiring: Wiring;
  /** The maximum number of connections at a time. */
  pool: number;
  log: Log;
  /** How long work waits for the database; by default it does not wait. */
  waitPolicy?: WaitPolicy | undefined;
}

/** The statements of one transaction. It ends when the function that received it has ended. */
export interface Transaction {
  rows<T = Row>(sql: string, values?: readonly Value[]): Promise<T[]>;
  /** Executes statements without values. */
  script(sql: string): Promise<void>;
  /** Returns the rows of a statement, and the number of rows that it changed. */
  result(sql: string, values?: readonly Value[]): Promise<{ rows: unknown[]; rowCount: number }>;
  /** Wakes the followers of the change log after the commit. */
  wake(): void;
  /** Appends rows by COPY. `target` is a table with its columns; each row has its values in that order. */
  copy(target: string, rows: Iterable<readonly Value[]>): Promise<void>;
}

/**
 * The writers of this process that may have a connection, of which one waits for the lock of the other. More would only
 * take connections from reads.
 */
const WRITERS = 2;

export type WriteTurns = ReturnType<typeof limited>;

/**
 * Returns the function that runs the writes of a process in turn. Without a wait policy, it rejects a write that waits
 * too long with `unavailable`.
 */
export function writeTurns(policy: WaitPolicy): WriteTurns {
  const wait = { ms: LOCK_MS, tooLong: () => databaseBusy() };
  return limited(WRITERS, policy.ms > 0 ? undefined : wait);
}

/** The prefix of rows in `leases`, which nothing else reads. If a process is killed, its rows expire. */
const PREFIX = 'write:';
/** Milliseconds since the epoch, as in `expires_at`. */
const NOW = '(extract(epoch FROM now()) * 1000)::bigint';
const CLEAR = `
  DELETE FROM leases WHERE name LIKE '${PREFIX}%'
    AND (name LIKE $1 || '%' OR expires_at < ${NOW})`;

/** One write with all its attempts. */
export interface MarkedWrite<T> {
  slot: MarkSlot;
  /** The result of the last attempt, while it is unknown whether that attempt was committed. */
  unconfirmed: { result: T } | undefined;
}

/** The mark of one write at a time. */
interface MarkSlot {
  /** The statement that takes the lock of this slot, for writes that do not take the lock of all writers. */
  lock: string;
  /**
   * Begins a transaction with these statements, which take a lock that the last attempt took too, and marks it.
   * The mark exists if and only if the transaction is committed. If it is unknown whether the last attempt was
   * committed, and it was, marks nothing and returns true: that transaction held the lock, so it has ended.
   */
  begin(tx: Transaction, statements: string, isUnconfirmed: boolean): Promise<boolean>;
}

/**
 * Tells whether a write was committed if the result of its COMMIT was lost. The transaction ids of the server are not
 * suitable: after a crash or a failover, they are assigned again.
 */
export class WriteMarks {
  readonly #prefix = `${PREFIX}${newId()}:`;
  readonly #free: MarkSlot[] = [];
  #slots = 0;
  #lastMark = 0;

  get isUsed(): boolean {
    return this.#slots > 0;
  }

  /** Returns a slot for one write. The caller must release it. */
  take(): MarkSlot {
    return this.#free.pop() ?? this.#newSlot();
  }

  release(slot: MarkSlot): void {
    this.#free.push(slot);
  }

  /** Removes the marks of this process, and expired ones. */
  async clear(rows: Transaction['rows']): Promise<void> {
    await rows(CLEAR, [this.#prefix]);
  }

  #newSlot(): MarkSlot {
    const name = `${this.#prefix}${this.#slots++}`;
    let last = '';
    const isSet = async (tx: Transaction) => {
      const sql = 'SELECT 1 FROM leases WHERE name = $1 AND holder = $2';
      return (await tx.rows(sql, [name, last])).length > 0;
    };
    const mark = () => {
      last = String(++this.#lastMark);
      return `
        INSERT INTO leases (name, holder, expires_at) VALUES ('${name}', '${last}', ${NOW} + ${DAY_MS})
        ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at`;
    };
    return {
      lock: `SELECT pg_advisory_xact_lock(hashtextextended('${name}', 0))`,
      begin: async (tx, statements, isUnconfirmed) => {
        if (!isUnconfirmed) {
          await tx.script(`${statements}; ${mark()}`);
          return false;
        }
        await tx.script(statements);
        if (await isSet(tx)) return true;
        await tx.script(mark());
        return false;
      },
    };
  }
}

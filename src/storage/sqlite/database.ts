import { access, constants, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../../kernel/operator-error.ts';
import { makePrivateFolder } from '../../kernel/private-folder.ts';
import { isBusy, translateSqliteError } from './sqlite-error.ts';

/** How often a waiter asks for the lock. */
const RETRY_MS = 1;
/** Who held the lock for longer than this leaves it alone for a while: a waiter's next try finds it free. */
const LONG_LOCK_MS = 2;
const REST_MS = 4;

/** The sizes of IN lists: one thing, a page, the largest page. */
const LIST_SIZES = [1, 20, 100];
const MAX_LIST = 100;
const MARKS: Readonly<Record<number, string>> = Object.fromEntries(
  LIST_SIZES.map((size) => [size, Array(size).fill('?').join()]),
);

/**
 * Whose commit brings the WAL to this many pages (80 MB) copies it into the database. More than an
 * import waits for, so that a serving process does not do that work for it between two answers.
 */
const CHECKPOINT_PAGES = 20_000;

const PRAGMAS = `
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA trusted_schema = OFF;
  PRAGMA cache_size = -49152;
  PRAGMA temp_store = FILE;
  PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
  PRAGMA journal_size_limit = 104857600;
`;

/**
 * One connection to the SQLite file. SQLite's own busy timeout is off, for it would block the event
 * loop: where a lock is in the way, reads and writes are asynchronous retries. What they run is
 * synchronous, so nothing of this process can come between the statements of one transaction.
 */
export class Database {
  readonly path: string;
  readonly #connection: DatabaseSync;
  readonly #busyTimeoutMs: number;
  /** On the clock of performance.now(). */
  #restsUntil = 0;
  readonly #statements = new Map<string, StatementSync>();
  readonly #rowStatements = new Map<string, StatementSync>();

  private constructor(path: string, connection: DatabaseSync, busyTimeoutMs: number) {
    this.path = path;
    this.#connection = connection;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  /**
   * Opens the file in WAL mode, making it (mode 0600) and its folder (0700) where they are missing.
   * Throws OperatorError where that cannot be. `busyTimeoutMs`: how long reads and writes wait for a lock.
   */
  static async open(path: string, busyTimeoutMs: number): Promise<Database> {
    await createPrivately(path);
    let connection: DatabaseSync;
    try {
      connection = new DatabaseSync(path, { timeout: 0 });
    } catch (error) {
      throw translateSqliteError(error, path);
    }
    const database = new Database(path, connection, busyTimeoutMs);
    try {
      await database.read(() => {
        connection.exec(PRAGMAS);
        database.#switchToWal();
      });
    } catch (error) {
      connection.close();
      throw error;
    }
    return database;
  }

  /** The prepared statement of this SQL; prepared once. */
  prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** As prepare, but rows come as arrays of columns, which is quicker where there are thousands. */
  prepareRows(sql: string): StatementSync {
    let statement = this.#rowStatements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      statement.setReturnArrays(true);
      this.#rowStatements.set(sql, statement);
    }
    return statement;
  }

  /**
   * The rows, as arrays, of a statement with one `IN (…)` list; sql makes it of the list's marks.
   * Lists are padded to a few sizes, so that few statements are prepared; any number of keys will do.
   */
  rowsIn(sql: (marks: string) => string, keys: readonly (string | number)[]): unknown[] {
    const rows: unknown[] = [];
    for (let from = 0; from < keys.length; from += MAX_LIST) {
      const slice: (string | number | null)[] = keys.slice(from, from + MAX_LIST);
      const size = LIST_SIZES.find((listSize) => listSize >= slice.length)!;
      while (slice.length < size) slice.push(null);
      rows.push(...this.prepareRows(sql(MARKS[size]!)).all(...slice));
    }
    return rows;
  }

  /** Runs SQL that takes no parameters and gives no rows. */
  exec(sql: string): void {
    this.#connection.exec(sql);
  }

  /**
   * Runs one statement that only reads, and again where a lock was in the way (recovery, or another
   * process closing). One statement is one consistent view.
   */
  read<T>(work: () => T): Promise<T> {
    return this.#retry(work);
  }

  /** Runs several statements that only read (or write temporary tables) on one consistent view. */
  view<T>(work: () => T): Promise<T> {
    return this.#retry(() => {
      this.#connection.exec('BEGIN');
      return this.#complete(work);
    });
  }

  /**
   * Runs a function in a write transaction; it must be synchronous, and short (50 ms at most). What
   * it throws undoes all of it. Once the promise resolves, the change is on the disk
   * (synchronous=FULL). Writes of one connection that follow each other leave other processes gaps.
   */
  async write<T>(work: () => T): Promise<T> {
    const restMs = this.#restsUntil - performance.now();
    if (restMs > 0) await sleep(restMs);
    return this.#retry(() => {
      this.#connection.exec('BEGIN IMMEDIATE');
      const start = performance.now();
      try {
        return this.#complete(work);
      } catch (error) {
        // Only the lock is tried for again: the work may remember what it did.
        throw translateSqliteError(error, this.path);
      } finally {
        const end = performance.now();
        if (end - start > LONG_LOCK_MS) this.#restsUntil = end + REST_MS;
      }
    });
  }

  /**
   * The rest of a transaction, in the same turn as its beginning: with an await between, another
   * call's statements would slip in.
   */
  #complete<T>(work: () => T): T {
    try {
      const result = work();
      this.#connection.exec('COMMIT');
      return result;
    } catch (error) {
      // A full disk or a failing one may have rolled back already.
      if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK');
      throw error;
    }
  }

  /** Changes whenever another connection has committed something. */
  dataVersion(): number {
    return this.prepare('PRAGMA data_version').get()!.data_version as number;
  }

  close(): void {
    if (this.#connection.isOpen) this.#connection.close();
  }

  #switchToWal(): void {
    const mode = this.#connection.prepare('PRAGMA journal_mode').get()!.journal_mode;
    if (mode !== 'wal') this.#connection.exec('PRAGMA journal_mode = WAL');
  }

  async #retry<T>(work: () => T): Promise<T> {
    const start = performance.now();
    for (;;) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || performance.now() - start > this.#busyTimeoutMs) {
          throw translateSqliteError(error, this.path);
        }
      }
      await sleep(RETRY_MS);
    }
  }
}

/** SQLite would make the file readable for everybody, and it gives its WAL the mode of the file. */
async function createPrivately(path: string): Promise<void> {
  try {
    await makePrivateFolder(dirname(path));
    await createFile(path);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new OperatorError(
      `The database ${path} cannot be opened (${reason}): check that its folder is writable for this user.`,
      { cause: error },
    );
  }
}

/**
 * Never opens a file that is there: its closing would drop every lock that this process has on it
 * (sqlite.org/howtocorrupt.html, 2.2).
 */
async function createFile(path: string): Promise<void> {
  try {
    await (await open(path, 'ax', 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    await access(path, constants.R_OK | constants.W_OK);
  }
}

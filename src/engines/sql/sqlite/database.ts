import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { keptIn } from '../../../common/memory/caches.ts';
import { WaitPolicy } from '../../../common/work/wait-policy.ts';
import { createPrivately } from './database-files.ts';
import { isBusy, translateSqliteError, whyBusy } from './sqlite-error.ts';

/** How often a call that waits for the lock tries again. */
const RETRY_MS = 1;
/**
 * A connection that held the lock for longer than this pauses before its next write, so that other
 * connections can take the lock.
 */
const LONG_LOCK_MS = 2;
const REST_MS = 4;

/**
 * The pages of a new database. Almost every track of an import changes a random page of two indexes, so smaller
 * pages write less. A page has room for several tracks.
 */
const PAGE_BYTES = 2048;

/**
 * A commit that finds this much in the WAL copies it into the database. It is more than an import allows, so
 * that an import does this work and not the serving process.
 */
const CHECKPOINT_BYTES = 160_000_000;

/** The value of `PRAGMA auto_vacuum` with which the file gives free pages back when it is told to. */
const INCREMENTAL = 2;

/**
 * Free pages are given back to the disk while they are more than this share of the file and more than this number, so that
 * the file does not grow again with each import.
 */
const FREE_SHARE = 0.25;
const MIN_FREE_PAGES = 4_096;

/** The default size of a connection's cache of pages. */
const CACHE_KILOBYTES = 49_152;

const PRAGMAS = `
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA trusted_schema = OFF;
  PRAGMA temp_store = FILE;
  PRAGMA journal_size_limit = 200000000;
`;

/**
 * One connection to the SQLite file. SQLite's own busy timeout is off, because it would block the event loop:
 * reads and writes that find a lock try again asynchronously. The connection executes one transaction at a
 * time, and other calls wait until it ends.
 */
export class Database {
  readonly path: string;
  readonly #connection: DatabaseSync;
  readonly #busyTimeoutMs: number;
  readonly #waitPolicy: WaitPolicy;
  /** The time until which writes pause, by performance.now(). */
  #restsUntil = 0;
  /** Resolves at the end of the open transaction; undefined if there is none. */
  #transaction: Promise<void> | undefined;
  readonly #statements = new Map<string, StatementSync>();
  readonly #rowStatements = new Map<string, StatementSync>();

  private constructor(
    path: string,
    connection: DatabaseSync,
    busyTimeoutMs: number,
    waitPolicy: WaitPolicy,
  ) {
    this.path = path;
    this.#connection = connection;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#waitPolicy = waitPolicy;
  }

  /**
   * Opens the file in WAL mode. Creates it (mode 0600) and its folder (mode 0700) if they are missing. Throws
   * OperatorError if that fails. For `busyTimeoutMs`, reads and writes wait for a lock silently; after that,
   * the wait policy applies, which reports that they wait.
   */
  static async open(
    path: string,
    busyTimeoutMs: number,
    waitPolicy = WaitPolicy.none,
    cacheKilobytes = CACHE_KILOBYTES,
  ): Promise<Database> {
    await createPrivately(path);
    let connection: DatabaseSync;
    try {
      connection = new DatabaseSync(path, { timeout: 0 });
    } catch (error) {
      throw translateSqliteError(error, path);
    }
    const database = new Database(path, connection, busyTimeoutMs, waitPolicy);
    try {
      await database.read(() => {
        connection.exec(`${PRAGMAS} PRAGMA cache_size = -${cacheKilobytes};`);
        database.#switchToWal();
        database.checkpointAt(CHECKPOINT_BYTES);
      });
    } catch (error) {
      connection.close();
      throw error;
    }
    return database;
  }

  /** Returns the prepared statement of this SQL, which is prepared once. */
  prepare(sql: string): StatementSync {
    return keptIn(this.#statements, sql, () => this.#connection.prepare(sql));
  }

  /** Like `prepare`, but rows are arrays of columns, which is faster for thousands of rows. */
  prepareRows(sql: string): StatementSync {
    return keptIn(this.#rowStatements, sql, () => {
      const statement = this.#connection.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    });
  }

  /** Executes SQL without parameters and results. */
  exec(sql: string): void {
    this.#connection.exec(sql);
  }

  /**
   * Runs one statement that only reads. Tries again if it finds a lock (of a recovery, or of another process
   * that closes the file). One statement is one consistent view.
   */
  read<T>(work: () => T): Promise<T> {
    return this.#retry(work);
  }

  /**
   * Runs several statements that only read, or that write temporary tables, on one consistent view. The
   * connection does nothing else until the work has ended, so the work must await nothing but its statements.
   */
  view<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#retry(() => {
      this.#connection.exec('BEGIN');
      return this.#complete(work);
    });
  }

  /**
   * Runs a function in a write transaction. It must be short (50 ms at most) and await nothing but its
   * statements. An error rolls the transaction back. Once the promise resolves, the change is on disk
   * (synchronous=FULL). Between consecutive long writes, a connection pauses, so that other processes can
   * write.
   */
  async write<T>(work: () => T | Promise<T>): Promise<T> {
    const restMs = this.#restsUntil - performance.now();
    if (restMs > 0) await sleep(restMs);
    return this.#retry(async () => {
      this.#connection.exec('BEGIN IMMEDIATE');
      const start = performance.now();
      try {
        return await this.#complete(work);
      } catch (error) {
        // Only taking the lock is tried again, because the work may have changed state in memory.
        throw translateSqliteError(error, this.path);
      } finally {
        const end = performance.now();
        if (end - start > LONG_LOCK_MS) this.#restsUntil = end + REST_MS;
      }
    });
  }

  /**
   * Runs one statement that writes, in a transaction of its own. It is not on disk when the promise resolves, but it is
   * before any later write is. The process may end meanwhile.
   */
  writeUnflushed<T>(work: () => T): Promise<T> {
    return this.#retry(() => {
      this.#connection.exec('PRAGMA synchronous = NORMAL');
      try {
        return work();
      } finally {
        this.#connection.exec('PRAGMA synchronous = FULL');
      }
    });
  }

  get isInTransaction(): boolean {
    return this.#transaction !== undefined;
  }

  /** Returns a number that changes whenever another connection has committed. */
  dataVersion(): number {
    return this.prepare('PRAGMA data_version').get()!.data_version as number;
  }

  /** Makes this connection copy the WAL into the database after a commit that finds this many bytes in it. */
  checkpointAt(bytes: number): void {
    this.#connection.exec(`PRAGMA wal_autocheckpoint = ${Math.floor(bytes / this.#pageBytes())}`);
  }

  /** Returns the bytes of the WAL that are not in the database. Must not be called in a transaction. */
  uncopiedBytes(): number {
    return this.#copyWal('NOOP') * this.#pageBytes();
  }

  /**
   * Copies the WAL into the database as far as no reader or writer must wait for it. Blocks this thread. Returns the
   * number of pages that are left.
   */
  checkpoint(): number {
    return this.#copyWal('PASSIVE');
  }

  /** Whether the file has many free pages, and can give them back. */
  hasMuchFree(): Promise<boolean> {
    return this.read(() => {
      const { mode, free, pages } = this.prepare(
        `SELECT auto_vacuum AS mode, freelist_count AS free, page_count AS pages
         FROM pragma_auto_vacuum, pragma_freelist_count, pragma_page_count`,
      ).get() as { mode: number; free: number; pages: number };
      return mode === INCREMENTAL && free > Math.max(MIN_FREE_PAGES, FREE_SHARE * pages);
    });
  }

  /**
   * Removes up to this many free pages from the end of the file, which a later checkpoint shortens. Pages in use move to
   * free ones for that. Writers wait meanwhile.
   */
  giveBack(pages: number): Promise<void> {
    return this.read(() => this.exec(`PRAGMA incremental_vacuum(${pages})`));
  }

  /**
   * Writes the whole file anew without its free pages, after which it can give pages back. Blocks this thread for some
   * seconds per gigabyte, and all writers. Needs the size of the new file twice, in the folder and in that of temporary
   * files.
   */
  compact(): Promise<void> {
    return this.read(() => this.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM'));
  }

  /** Closes the connection after the end of the open transaction. */
  async close(): Promise<void> {
    while (this.#transaction !== undefined) await this.#transaction;
    if (this.#connection.isOpen) this.#connection.close();
  }

  /** Runs the rest of a transaction. Must be called in the same turn of the event loop as its BEGIN. */
  async #complete<T>(work: () => T | Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#transaction = promise;
    try {
      const result = await work();
      this.#connection.exec('COMMIT');
      return result;
    } catch (error) {
      // After an error of the disk, such as a full one, SQLite may have rolled back already.
      if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK');
      throw error;
    } finally {
      this.#transaction = undefined;
      resolve();
    }
  }

  #copyWal(mode: 'NOOP' | 'PASSIVE'): number {
    const result = this.prepare(`PRAGMA wal_checkpoint(${mode})`).get()!;
    return (result.log as number) - (result.checkpointed as number);
  }

  #pageBytes(): number {
    return this.prepare('PRAGMA page_size').get()!.page_size as number;
  }

  #switchToWal(): void {
    const mode = this.#connection.prepare('PRAGMA journal_mode').get()!.journal_mode;
    // Both are set first, because they are fixed once the file has pages. An existing file keeps its own.
    if (mode !== 'wal') {
      this.#connection.exec(
        `PRAGMA page_size = ${PAGE_BYTES}; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL`,
      );
    }
  }

  async #retry<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await this.#waitPolicy.run(
        () => this.#retryForTime(work),
        (error) => whyBusy(error, this.path),
      );
    } catch (error) {
      throw translateSqliteError(error, this.path);
    }
  }

  async #retryForTime<T>(work: () => T | Promise<T>): Promise<T> {
    const start = performance.now();
    for (;;) {
      // Without this, the statements of other calls would run within the transaction.
      while (this.#transaction !== undefined) await this.#transaction;
      try {
        return await work();
      } catch (error) {
        if (!isBusy(error) || performance.now() - start > this.#busyTimeoutMs) throw error;
      }
      await sleep(RETRY_MS);
    }
  }
}

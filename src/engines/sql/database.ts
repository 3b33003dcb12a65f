import {
  type AliasedRawBuilder,
  type Compilable,
  type CompiledQuery,
  DefaultQueryExecutor,
  type DialectAdapter,
  type Expression,
  type QueryCompiler,
  QueryCreator,
  type QueryExecutor,
  type QueryResult,
  type RawBuilder,
  type SqlBool,
} from 'kysely';
import type { OpenWrite, WriteContext } from '../../common/caller.ts';
import { keptIn } from '../../common/memory/caches.ts';
import type { SlugKind } from '../../common/text/slug.ts';
import { inStep, tracing } from '../../common/tracing.ts';
import type { FormerTrack } from '../../features/catalog/batches.ts';
import type { ChangeEntity } from '../change-log/change-log.ts';
import type { BatchChange, Cause, NewChange } from './logged-change.ts';
import type { Kind } from './tables/table-declaration.ts';
import type { Tables } from './tables/tables.ts';

export class Queries extends QueryCreator<Tables> {
  readonly compiler: QueryCompiler;
  readonly execute: Execute;
  readonly #executor: QueryExecutor;

  constructor(executor: QueryExecutor, compiler: QueryCompiler, execute: Execute) {
    super({ executor });
    this.compiler = compiler;
    this.execute = execute;
    this.#executor = executor;
  }

  /** For `execute` of raw SQL. */
  getExecutor(): QueryExecutor {
    return this.#executor;
  }
}

/** A statement found rows that another transaction is changing. It has changed nothing. */
export class RowsInUse extends Error {
  constructor(cause: unknown) {
    super('Another transaction is changing the same rows.', { cause });
    this.name = 'RowsInUse';
  }
}

/** What the stores need of a database. */
export interface SqlDatabase {
  readonly dialect: SqlDialect;
  /** Whether statements execute in this thread, so that long reads must be divided into steps. */
  readonly blocksEventLoop: boolean;
  /**
   * Executes each statement in a transaction of its own, and repeats it after a transient failure. A
   * statement that writes must therefore be one that may run twice.
   */
  readonly queries: Queries;
  /**
   * Executes each statement, which must return columns, in a transaction of its own, once, without the lock of all
   * writers and without waiting for the disk. The change survives the end of this process. A failure of the machine may
   * undo it, but not if a later write of this or another process was on disk. On a server, waits at most 0.1 s for
   * transactions that change the same rows, and then rejects with RowsInUse.
   */
  readonly unflushed: Queries;
  /**
   * Executes each statement that only reads, and may read millions of rows, without delaying other work of this process:
   * on a server as `queries`, otherwise in another thread. Sees what was committed before.
   */
  readonly aside: Queries;
  /** Runs statements that only read, on one consistent view. `work` awaits nothing but its statements. */
  view<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /**
   * Runs a write transaction, which excludes all other writers. An error rolls it back. Once the promise
   * resolves, the change is on disk. `work` awaits nothing but its statements, takes 50 ms at most, and may
   * run again after a transient failure. `finish` of a context runs after it, in the transaction.
   */
  write<T>(
    work: (transaction: WriteTransaction) => Promise<T>,
    context?: WriteContext<T>,
  ): Promise<T>;
  /**
   * Like `write`, but on a server it does not exclude other writers. It is for tables whose changes are not in
   * the change log, and of which many are written each second. What the work checks may change before the
   * commit unless the statements themselves ensure it, as a unique key does.
   */
  apart<T>(work: (queries: Queries) => Promise<T>, context?: WriteContext<T>): Promise<T>;
  /**
   * Like `apart`, for one statement whose loss does no harm: of housekeeping (`inSlices`), or of counts. Its commit does
   * not wait for the disk, so that a slow disk does not prolong the lock. A failure of the machine may undo it, but not
   * if a later write was on disk.
   */
  discard<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /**
   * Does outside of all locks what earlier writes have left for a later one to do: on SQLite, copies the WAL into the
   * database in another thread if there is much in it. Never throws.
   */
  settle(): Promise<void>;
}

/** A write transaction: its queries, and operations that each adapter implements in its own way. */
export interface WriteTransaction {
  readonly queries: Queries;
  /** Appends changes of one entity to the change log, in this order. */
  log<Entity extends ChangeEntity>(
    entity: Entity,
    changes: readonly NewChange<Entity>[],
    cause: Cause | Omit<WriteContext, 'finish'>,
  ): Promise<void>;
  /** Returns the writer of a batch, of which this transaction is a part. */
  batchWriter(cause: BatchCause): BatchWriter;
  /** Returns a free slug for the base. The transaction must use it. */
  allocateSlug(kind: SlugKind, base: string): Promise<string>;
}

/** The actor and the batch of changes to tracks. */
export interface BatchCause extends Cause {
  batchId: string;
  /** A description of the batch for people. */
  label: string;
  /** The row id of the batch that this one undoes; null if it is not an undo. */
  undoes: number | null;
}

/** The part of the import writer that undos and edits use. Each adapter has its own import writer. */
export interface BatchWriter {
  /**
   * Returns the row id of the batch. The first call creates its row; it must precede the first change of the
   * batch in the log.
   */
  number(): Promise<number>;
  /**
   * Gives tracks their former content, with their present edits. Returns the members that this changes, by row id. The
   * batch that changed them last stays.
   */
  putBack(
    tracks: readonly { rowId: number; former: FormerTrack }[],
  ): Promise<ReadonlyMap<number, readonly string[]>>;
  /** Adds logged changes to the counts of the batch. Call this once in each transaction. */
  count(changes: readonly BatchChange[]): Promise<void>;
}

/** A value of `SqlDialect.rows`. */
export type RowValue = string | number | boolean | Uint8Array | null;

/** SQL that the databases write differently. */
export interface SqlDialect {
  /** The time in milliseconds since the epoch, by the clock that all nodes share. */
  now(): RawBuilder<number>;
  /** The last `seq` that the change log assigned, even if all rows have expired; 0 if there is none. */
  readonly logHead: RawBuilder<number>;
  /**
   * Whether the column is one of the values. The list is one parameter, so one statement serves any number of
   * values.
   */
  isOneOf<Value extends string | number>(
    column: Expression<Value>,
    values: readonly Value[],
  ): RawBuilder<SqlBool>;
  /** Whether a column with a JSON array of texts has one of the values. */
  hasOneOf(column: Expression<string>, values: readonly string[]): RawBuilder<SqlBool>;
  /** An aggregate: a JSON array with an array of the values of each row; of no rows, it is empty or null. */
  jsonRows(values: RawBuilder<unknown>): RawBuilder<string | null>;
  /** Rows as a table of a query: 1,024 at most. A few statements serve all numbers of rows. */
  rows<Row extends Record<string, RowValue>, Alias extends string>(
    alias: Alias,
    types: Readonly<Record<keyof Row, Kind>>,
    rows: readonly Row[],
  ): AliasedRawBuilder<Row, Alias>;
}

/** Executes a compiled query. The rows have the names of queries (`queryName`). */
export type Execute = (query: CompiledQuery) => Promise<QueryResult<unknown>>;

/** The databases, as OpenTelemetry names them. */
type System = 'sqlite' | 'postgresql';

/**
 * Returns a query builder whose queries are compiled by parts of a kysely dialect and executed by the
 * adapter.
 */
export function queriesOn(
  system: System,
  compiler: QueryCompiler,
  adapter: DialectAdapter,
  run: Execute,
): Queries {
  const execute: Execute = (query) =>
    tracing === undefined ? run(query) : tracedStatement(system, query, run);
  const connection = {
    executeQuery: execute as <Row>(query: CompiledQuery) => Promise<QueryResult<Row>>,
    streamQuery: () => {
      throw new Error('queries are not streamed');
    },
  };
  const executor = new DefaultQueryExecutor(compiler, adapter, {
    provideConnection: (consumer) => consumer(connection),
  });
  return new Queries(executor, compiler, execute);
}

function tracedStatement(system: System, query: CompiledQuery, run: Execute) {
  return tracing!.statement(system, query.sql, () => run(query));
}

/** Runs a transaction, which waits for locks before its statements, and for the disk after them. */
export function inTransaction<T>(system: System, run: () => Promise<T>): Promise<T> {
  return inStep('transaction', { 'db.system.name': system }, run);
}

/** Returns the work of a write, followed by `finish` of its context. */
export function withFinish<Transaction extends OpenWrite, Result>(
  work: (transaction: Transaction) => Promise<Result>,
  context: WriteContext<Result> | undefined,
): (transaction: Transaction) => Promise<Result> {
  return async (transaction) => {
    const result = await work(transaction);
    await context?.finish?.(result, transaction);
    return result;
  };
}

type Values = Readonly<Record<string, string | number | Buffer>>;

/** Stands for a value in a query that is compiled before the value is known. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const PLACEHOLDERS = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) });

/**
 * Returns a function that executes a query with different values. The query is built and compiled once for each
 * database, because that costs more than the execution of a short query.
 * @param build gets placeholders, so it must use the values only as parameters of the query
 */
export function compiledOnce<Given extends Values, Row>(
  build: (queries: Queries, values: Given) => Compilable<Row>,
): (queries: Queries, values: Given) => Promise<Row[]> {
  const compiledBy = new Map<QueryCompiler, CompiledQuery>();
  return async (queries, values) => {
    const compiled = keptIn(compiledBy, queries.compiler, () =>
      build(queries, PLACEHOLDERS as Given).compile(),
    );
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name] : parameter,
    );
    const { rows } = await queries.execute({ ...compiled, parameters });
    return rows as Row[];
  };
}

import {
  type CompiledQuery,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryResult,
  sql,
} from 'kysely';
import type { WriteContext } from '../../../common/caller.ts';
import type { Clock } from '../../../common/clock.ts';
import {
  type BatchCause,
  type BatchWriter,
  inTransaction,
  type Queries,
  queriesOn,
  RowsInUse,
  type RowValue,
  type SqlDatabase,
  type SqlDialect,
  type WriteTransaction,
  withFinish,
} from '../database.ts';
import { causeOf } from '../logged-change.ts';
import { databaseName, queryName } from '../tables/tables.ts';
import { ChangeAppender } from './change-appender.ts';
import type { Database, Row, Transaction, Value } from './database.ts';
import { isLockTimeout } from './link/postgres-error.ts';
import { allocateSlugs } from './slug-allocator.ts';

class Compiler extends PostgresQueryCompiler {
  protected override sanitizeIdentifier(name: string): string {
    return super.sanitizeIdentifier(databaseName(name));
  }
}

const compiler = new Compiler();
const adapter = new PostgresAdapter();

const SQL_TYPES = {
  text: sql`text[]`,
  integer: sql`bigint[]`,
  boolean: sql`boolean[]`,
  bytes: sql`bytea[]`,
};

export const postgresDialect: SqlDialect = {
  now: () => sql<number>`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`,
  logHead: sql`(SELECT seq FROM change_log_head)`,
  isOneOf: (column, values) => {
    // An empty list has no type.
    if (values.length === 0) return sql`false`;
    const type = typeof values[0] === 'number' ? SQL_TYPES.integer : SQL_TYPES.text;
    return sql`${column} = any(${values}::${type})`;
  },
  hasOneOf: (column, values) => sql`jsonb_exists_any(${column}::jsonb, ${values}::text[])`,
  jsonRows: (values) => sql`json_agg(json_build_array(${values}))::text`,
  rows: (alias, types, rows) => {
    const names = Object.keys(types);
    const columns = names.map(
      (name) => sql`${rows.map((row) => toElement(row[name]!))}::${SQL_TYPES[types[name]!]}`,
    );
    return sql<(typeof rows)[number]>`unnest(${sql.join(columns)})`.as(
      sql`${sql.ref(alias)} (${sql.join(names.map((name) => sql.ref(name)))})`,
    ) as never;
  },
};

/** How long a statement that is not flushed waits for a lock. A commit takes less, if no node or network hangs. */
const UNFLUSHED_LOCK_MS = 100;

/** Returns a value as an element of an array, in a form that the server reads as any of the types. */
function toElement(value: RowValue): string | number | null {
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return typeof value === 'boolean' ? String(value) : value;
}

type BatchWriterOf = (transaction: Transaction, clock: Clock, cause: BatchCause) => BatchWriter;

/** Executes on PostgreSQL the queries of the stores that both databases share. */
export class PostgresSqlDatabase implements SqlDatabase {
  readonly dialect = postgresDialect;
  readonly blocksEventLoop = false;
  readonly queries: Queries;
  readonly unflushed: Queries;
  readonly aside: Queries;
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #changes: ChangeAppender;
  readonly #batchWriter: BatchWriterOf;

  constructor(database: Database, clock: Clock, batchWriter: BatchWriterOf) {
    this.#database = database;
    this.#batchWriter = batchWriter;
    this.#clock = clock;
    this.#changes = new ChangeAppender(clock);
    this.queries = queriesOn('postgresql', compiler, adapter, async (query) => ({
      rows: renamed(await database.rows(query.sql, query.parameters as readonly Value[])),
    }));
    this.aside = this.queries;
    this.unflushed = queriesOn('postgresql', compiler, adapter, (query) =>
      this.#writeUnflushed(query),
    );
  }

  view<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#database.view((transaction) => work(queriesIn(transaction)));
  }

  write<T>(
    work: (transaction: WriteTransaction) => Promise<T>,
    context?: WriteContext<T>,
  ): Promise<T> {
    const run = withFinish(work, context);
    return inTransaction('postgresql', () =>
      this.#database.write((transaction) => run(this.#writeIn(transaction))),
    );
  }

  apart<T>(work: (queries: Queries) => Promise<T>, context?: WriteContext<T>): Promise<T> {
    const run = withFinish(({ queries }: { queries: Queries }) => work(queries), context);
    return inTransaction('postgresql', () =>
      this.#database.write((transaction) => run({ queries: queriesIn(transaction) }), {
        isApart: true,
      }),
    );
  }

  discard<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#database.write((transaction) => work(queriesIn(transaction)), {
      isApart: true,
      isUnflushed: true,
    });
  }

  /** The server makes checkpoints itself. */
  async settle(): Promise<void> {}

  #writeIn(transaction: Transaction): WriteTransaction {
    return {
      queries: queriesIn(transaction),
      log: async (entity, changes, cause) => {
        await this.#changes.appendAll(transaction, entity, changes, causeOf(cause));
      },
      batchWriter: (cause) => this.#batchWriter(transaction, this.#clock, cause),
      allocateSlug: async (kind, base) => (await allocateSlugs(transaction, kind, [base]))[0]!,
    };
  }

  async #writeUnflushed({ sql, parameters }: CompiledQuery): Promise<QueryResult<unknown>> {
    try {
      const rows = await this.#database.rows<Row & { isWritten: boolean }>(
        unflushed(sql),
        parameters as readonly Value[],
        { writes: true },
      );
      return { rows: renamed(rows.filter((row) => row.isWritten)) };
    } catch (error) {
      throw isLockTimeout(error) ? new RowsInUse(error) : error;
    }
  }
}

/**
 * Returns a statement that writes and returns rows as one whose commit does not wait for the disk, and which waits only
 * shortly for locks. Settings of the same statement apply to it, so it needs no transaction around it. They are set
 * first and in any case, because a statement that writes no row may have locked one, which is also committed.
 */
function unflushed(sql: string): string {
  return `WITH written AS (${sql})
    SELECT written.*, NOT (written IS NULL) AS "isWritten"
    FROM concat(
      set_config('synchronous_commit', 'off', true),
      set_config('lock_timeout', '${UNFLUSHED_LOCK_MS}', true)
    ) LEFT JOIN written ON true`;
}

export function queriesIn(transaction: Transaction): Queries {
  return queriesOn('postgresql', compiler, adapter, (query) => executeIn(transaction, query));
}

async function executeIn(
  transaction: Transaction,
  query: CompiledQuery,
): Promise<QueryResult<unknown>> {
  const values = query.parameters as readonly Value[];
  const { rows, rowCount } = await transaction.result(query.sql, values);
  return { rows: renamed(rows as Row[]), numAffectedRows: BigInt(rowCount) };
}

/** Returns the rows with the column names that queries use. */
function renamed(rows: readonly Row[]): Row[] {
  return rows.map((row) => {
    const named: Row = {};
    for (const [name, value] of Object.entries(row)) named[queryName(name)] = value;
    return named;
  });
}

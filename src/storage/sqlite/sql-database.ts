import type { StatementSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type QueryResult,
  SqliteAdapter,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import type { WriteContext } from '../../access/write-context.ts';
import type { Clock } from '../../common/clock.ts';
import { causeOf } from '../logged-change.ts';
import {
  type Execute,
  type Queries,
  queriesOn,
  type RowValue,
  type SqlDatabase,
  type SqlDialect,
  type WriteTransaction,
} from '../sql/database.ts';
import { withFinish } from '../sql/finish-write.ts';
import { booleanColumns, databaseName, queryName, TABLES } from '../sql/tables.ts';
import { BatchRecorder } from './batch-recorder.ts';
import { ChangeAppender } from './change-log.ts';
import type { Database } from './database.ts';
import { allocateSlug, releaseSlugs } from './slug-allocator.ts';
import { TrackWriter } from './track-writer.ts';

type Row = Record<string, unknown>;
/** A parameter of a SQLite statement. */
type Parameter = string | number | null | Uint8Array;

/** A column of the result of a statement. */
interface ResultColumn {
  name: string;
  isBoolean: boolean;
}

/** The names (`table.column`) of the columns that store booleans as 0 and 1. */
const BOOLEANS: ReadonlySet<string> = new Set(
  Object.entries(TABLES).flatMap(([name, table]) =>
    booleanColumns(table).map((column) => `${databaseName(name)}.${column}`),
  ),
);

class Compiler extends SqliteQueryCompiler {
  protected override sanitizeIdentifier(name: string): string {
    return super.sanitizeIdentifier(databaseName(name));
  }
}

const compiler = new Compiler();
const adapter = new SqliteAdapter();

/** Executes on SQLite the queries of the stores that both databases share. */
export class SqliteSqlDatabase implements SqlDatabase {
  readonly dialect: SqlDialect;
  readonly blocksEventLoop = true;
  readonly queries: Queries;
  readonly unflushed: Queries;
  readonly #database: Database;
  readonly #transaction: WriteTransaction;
  readonly #results = new WeakMap<StatementSync, readonly ResultColumn[]>();

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.dialect = dialectOf(clock);
    this.queries = queriesBy(async (query) => database.read(() => this.#execute(query)));
    this.unflushed = queriesBy((query) => database.writeUnflushed(() => this.#execute(query)));
    const changes = new ChangeAppender(database, clock);
    this.#transaction = {
      queries: queriesBy(async (query) => this.#execute(query)),
      log: async (entity, rows, cause) => changes.appendAll(entity, rows, causeOf(cause)),
      batchWriter: (cause) => {
        const recorder = new BatchRecorder(database, clock, cause, cause.undoes);
        const writer = new TrackWriter(database, clock, recorder);
        return {
          number: async () => recorder.rowId(),
          putBack: async (tracks) =>
            new Map(tracks.map(({ rowId, former }) => [rowId, writer.putBack(rowId, former)])),
          count: async (counted) => recorder.count(counted),
        };
      },
      allocateSlug: async (kind, base) => allocateSlug(database, kind, base),
      releaseSlugs: async (kind, slugs) => releaseSlugs(database, kind, slugs),
    };
  }

  view<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#database.view(() => work(this.#transaction.queries));
  }

  write<T>(
    work: (transaction: WriteTransaction) => Promise<T>,
    context?: WriteContext<T>,
  ): Promise<T> {
    return this.#database.write(() => withFinish(work, context)(this.#transaction));
  }

  apart<T>(work: (queries: Queries) => Promise<T>, context?: WriteContext<T>): Promise<T> {
    return this.write(({ queries }) => work(queries), context);
  }

  #execute({ sql: text, parameters }: CompiledQuery): QueryResult<unknown> {
    const statement = this.#database.prepareRows(text);
    const values = parameters.map(toParameter);
    const columns = this.#columnsOf(statement);
    if (columns.length === 0) {
      return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
    }
    const rows = statement.all(...values) as unknown as unknown[][];
    return { rows: rows.map((row) => toRow(row, columns)) };
  }

  #columnsOf(statement: StatementSync): readonly ResultColumn[] {
    let columns = this.#results.get(statement);
    if (columns === undefined) {
      columns = statement.columns().map(({ name, table, column }) => ({
        name: queryName(name),
        isBoolean: BOOLEANS.has(`${table}.${column}`),
      }));
      this.#results.set(statement, columns);
    }
    return columns;
  }
}

function queriesBy(execute: Execute): Queries {
  return queriesOn(compiler, adapter, execute);
}

function dialectOf(clock: Clock): SqlDialect {
  return {
    now: () => sql<number>`${clock.now()}`,
    isOneOf: (column, values) =>
      sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
    rows: (alias, types, rows) => {
      const columns = Object.entries(types).map(([name, kind], place) => {
        const value = sql`value ->> ${sql.lit(place)}`;
        return sql`${kind === 'bytes' ? sql`unhex(${value})` : value} AS ${sql.ref(name)}`;
      });
      const values = rows.map((row) => Object.keys(types).map((name) => toJson(row[name]!)));
      return sql<
        (typeof rows)[number]
      >`(SELECT ${sql.join(columns)} FROM json_each(${JSON.stringify(values)}))`.as(alias);
    },
  };
}

/** Returns a value of a row of a query. A boolean of JSON would be read as a number, too. */
function toJson(value: RowValue): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
}

function toParameter(value: unknown): Parameter {
  return typeof value === 'boolean' ? Number(value) : (value as Parameter);
}

function toRow(values: readonly unknown[], columns: readonly ResultColumn[]): Row {
  const row: Row = {};
  for (const [place, { name, isBoolean }] of columns.entries()) {
    const value = values[place];
    if (isBoolean && value !== null) row[name] = value === 1;
    else if (value instanceof Uint8Array) {
      row[name] = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    } else row[name] = value;
  }
  return row;
}

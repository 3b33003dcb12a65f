import { type LimitNode, SqliteAdapter, SqliteQueryCompiler, sql } from 'kysely';
import type { WriteContext } from '../../../common/caller.ts';
import type { Clock } from '../../../common/clock.ts';
import {
  type BatchCause,
  type BatchWriter,
  type Execute,
  inTransaction,
  type Queries,
  queriesOn,
  type SqlDatabase,
  type SqlDialect,
  type WriteTransaction,
  withFinish,
} from '../database.ts';
import { causeOf } from '../logged-change.ts';
import { databaseName } from '../tables/tables.ts';
import { ChangeAppender } from './change-appender.ts';
import type { Database } from './database.ts';
import type { SecondConnection } from './second-connection.ts';
import { allocateSlug } from './slug-allocator.ts';
import {
  type Parameter,
  RowParameters,
  StatementExecutor,
  toParameter,
} from './statement-executor.ts';

/**
 * The WAL that the other thread copies into the database, and how often its size is read. A commit that finds more than
 * twice this much copies it itself, while all other requests wait (database.ts).
 */
const CHECKPOINT_BYTES = 64_000_000;
const CHECK_MS = 100;
/** Housekeeping waits until this much is copied, so that the next write begins the WAL anew. */
const SETTLED_BYTES = 16_000_000;

/** The numbers of rows for which statements are prepared. They have as many places. */
const ROW_COUNTS = [4, 16, 64, 256, 512, 1_024];

class Compiler extends SqliteQueryCompiler {
  protected override sanitizeIdentifier(name: string): string {
    return super.sanitizeIdentifier(databaseName(name));
  }

  /** The planner looks at the value of `LIMIT ?`, so that SQLite compiles the statement anew for each one, but not of `+?`. */
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit +');
    this.visitNode(limit);
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
  readonly aside: Queries;
  readonly #database: Database;
  readonly #transaction: WriteTransaction;
  readonly #second: Pick<SecondConnection, 'checkpoint'>;
  #checkedAt = 0;

  /** @param second without `read`, the queries that are long run on this connection, too */
  constructor(
    database: Database,
    second: Pick<SecondConnection, 'checkpoint'> & Partial<Pick<SecondConnection, 'read'>>,
    clock: Clock,
    batchWriter: (database: Database, clock: Clock, cause: BatchCause) => BatchWriter,
  ) {
    const executor = new StatementExecutor(database);
    this.#database = database;
    this.#second = second;
    this.dialect = dialectOf(clock);
    this.queries = queriesBy(async (query) => database.read(() => executor.execute(query)));
    this.unflushed = queriesBy((query) => database.writeUnflushed(() => executor.execute(query)));
    this.aside = second.read ? queriesBy((query) => second.read!(query)) : this.queries;
    const changes = new ChangeAppender(database, clock);
    this.#transaction = {
      queries: queriesBy(async (query) => executor.execute(query)),
      log: async (entity, rows, cause) => changes.appendAll(entity, rows, causeOf(cause)),
      batchWriter: (cause) => batchWriter(database, clock, cause),
      allocateSlug: async (kind, base) => allocateSlug(database, kind, base),
    };
  }

  view<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#database.view(() => work(this.#transaction.queries));
  }

  write<T>(
    work: (transaction: WriteTransaction) => Promise<T>,
    context?: WriteContext<T>,
  ): Promise<T> {
    const run = withFinish(work, context);
    return inTransaction('sqlite', () => this.#database.write(() => run(this.#transaction)));
  }

  async apart<T>(work: (queries: Queries) => Promise<T>, context?: WriteContext<T>): Promise<T> {
    const result = await this.write(({ queries }) => work(queries), context);
    this.#checkpointAside();
    return result;
  }

  discard<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return work(this.unflushed);
  }

  async settle(): Promise<void> {
    await this.#checkpoint(SETTLED_BYTES);
  }

  /** Lets the other thread copy the WAL if there is much in it, while others write. */
  #checkpointAside(): void {
    const now = performance.now();
    if (now - this.#checkedAt < CHECK_MS) return;
    this.#checkedAt = now;
    void this.#checkpoint(CHECKPOINT_BYTES);
  }

  /** Lets the other thread copy the WAL if this much is in it. Never throws: the writes before it have succeeded. */
  async #checkpoint(bytes: number): Promise<void> {
    if (this.#database.isInTransaction) return;
    try {
      if (this.#database.uncopiedBytes() >= bytes) await this.#second.checkpoint();
    } catch {
      // Another process locks the file, or the store is being closed: the next write tries again. What else fails, such
      // as a full disk, fails again in a write, which reports it.
    }
  }
}

export function queriesBy(execute: Execute): Queries {
  return queriesOn('sqlite', compiler, adapter, execute);
}

function dialectOf(clock: Clock): SqlDialect {
  return {
    now: () => sql<number>`${clock.now()}`,
    // AUTOINCREMENT keeps this number.
    logHead: sql`coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'change_log'), 0)`,
    isOneOf: (column, values) =>
      sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
    hasOneOf: (column, values) =>
      sql`EXISTS (
        SELECT 1 FROM json_each(${column})
        WHERE value IN (SELECT value FROM json_each(${JSON.stringify(values)}))
      )`,
    jsonRows: (values) => sql`json_group_array(json_array(${values}))`,
    rows: (alias, types, rows) => {
      const names = Object.keys(types);
      const count = ROW_COUNTS.find((most) => most >= rows.length);
      if (count === undefined) throw new Error(`${rows.length} rows are too many for a statement`);
      const values: Parameter[] = rows.flatMap((row) =>
        names.map((name) => toParameter(row[name]!)),
      );
      while (values.length < count * names.length) values.push(null);
      const columns = names.map(
        (name, place) => sql`${sql.ref(`column${place + 1}`)} AS ${sql.ref(name)}`,
      );
      const places = Array(count)
        .fill(`(${Array(names.length).fill('?')})`)
        .join();
      // kysely writes the last place, and sees one parameter, because it needs milliseconds for thousands.
      return sql<(typeof rows)[number]>`(
        SELECT ${sql.join(columns)}
        FROM (VALUES ${sql.raw(places.slice(0, -2))}${new RowParameters(values)}))
        LIMIT ${rows.length}
      )`.as(alias);
    },
  };
}

import { sql } from 'kysely';
import {
  type Counters,
  TABLES,
  type Table,
  type TableKey,
  type TableRow,
  TableStore,
} from '../copied-tables.ts';
import type { Queries, SqlDatabase } from '../database.ts';
import type { Database, Transaction } from './database.ts';
import { queriesIn } from './sql-database.ts';

/** Prepares a table for rows. */
type PrepareRows = (tx: Transaction, table: Table, rows: readonly TableRow[]) => Promise<void>;

/** The tables of a store in PostgreSQL. */
export class PostgresTableStore extends TableStore {
  protected readonly columns = sql<{ table: string; column: string }>`
    SELECT c.relname::text AS "table", a.attname::text AS "column"
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND c.relnamespace = current_schema()::regnamespace
      AND a.attnum > 0 AND NOT a.attisdropped`;
  readonly #connections: Database;
  readonly #prepare: PrepareRows;

  /** @param prepare called before rows are appended to a table, in the transaction that appends them */
  constructor(connections: Database, database: SqlDatabase, prepare: PrepareRows) {
    super(connections.name, database);
    this.#connections = connections;
    this.#prepare = prepare;
  }

  override count(table: Table): Promise<number> {
    return this.database.view(async (queries) => {
      // With a hundred million rows, this takes minutes.
      await sql`SET LOCAL statement_timeout = 0`.execute(queries);
      return super.count(table, queries);
    });
  }

  append(table: Table, after: TableKey | null, rows: readonly TableRow[]): Promise<void> {
    return this.#connections.write(async (tx) => {
      await this.requireLast(queriesIn(tx), table, after);
      await this.#prepare(tx, table, rows);
      await tx.copy(`${table.name} (${table.columns})`, rows);
    });
  }

  protected lastRowId(table: string) {
    const sequence = sql`pg_get_serial_sequence(${sql.lit(table)}, 'row_id')`;
    return sql<number>`coalesce(pg_sequence_last_value(${sequence}::regclass), 0)`;
  }

  protected async settleNumbers(
    queries: Queries,
    { changeLog, artists, filters }: Counters,
  ): Promise<void> {
    await sql`UPDATE change_log_head SET seq = ${changeLog}`.execute(queries);
    const least: Readonly<Record<string, number>> = { artists, filters };
    for (const { name, columns } of TABLES) {
      if (columns[0] === 'row_id') await advance(queries, name, least[name] ?? 0);
    }
    // Without this, the first query plans would be made for empty tables.
    for (const { name } of TABLES) await sql`ANALYZE ${sql.raw(name)}`.execute(queries);
  }
}

/** Sets the identity sequence of a table past its largest number, if the table has one. */
async function advance(queries: Queries, name: string, least: number): Promise<void> {
  await sql`
    SELECT setval(sequence, greatest(last, 1), last > 0)
    FROM pg_get_serial_sequence(${sql.lit(name)}, 'row_id') AS sequence,
         (SELECT greatest(coalesce(max(row_id), 0), ${least}::bigint) AS last FROM ${sql.raw(name)}) numbers
    WHERE sequence IS NOT NULL`.execute(queries);
}

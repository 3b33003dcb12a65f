import { sql } from 'kysely';
import {
  type Counters,
  type Table,
  type TableKey,
  type TableRow,
  TableStore,
} from '../copied-tables.ts';
import type { Queries, SqlDatabase } from '../database.ts';
import type { Database } from './database.ts';
import { toParameter } from './statement-executor.ts';

/** The tables of a store in SQLite. */
export class SqliteTableStore extends TableStore {
  protected readonly columns = sql<{ table: string; column: string }>`
    SELECT t.name AS "table", c.name AS "column"
    FROM pragma_table_list AS t JOIN pragma_table_xinfo(t.name) AS c
    WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`;
  readonly #connection: Database;

  constructor(connection: Database, database: SqlDatabase) {
    super(connection.path, database);
    this.#connection = connection;
  }

  append(table: Table, after: TableKey | null, rows: readonly TableRow[]): Promise<void> {
    const { name, columns } = table;
    const sql = `INSERT INTO ${name} (${columns}) VALUES (${columns.map(() => '?')})`;
    return this.database.write(async ({ queries }) => {
      await this.requireLast(queries, table, after);
      const insert = this.#connection.prepare(sql);
      for (const row of rows) insert.run(...row.map(toParameter));
    });
  }

  protected lastRowId(table: string) {
    // SQLite has no sequence of a table before its first row.
    return sql<number>`coalesce((SELECT seq FROM sqlite_sequence WHERE name = ${table}), 0)`;
  }

  protected async settleNumbers(
    queries: Queries,
    { changeLog, artists, filters }: Counters,
  ): Promise<void> {
    // This table of SQLite has no unique key, so old rows of the same name must be deleted.
    for (const [name, seq] of Object.entries({ change_log: changeLog, artists, filters })) {
      await sql`DELETE FROM sqlite_sequence WHERE name = ${name}`.execute(queries);
      await sql`INSERT INTO sqlite_sequence (name, seq) VALUES (${name}, ${seq})`.execute(queries);
    }
  }
}

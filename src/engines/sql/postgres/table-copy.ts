import {
  type Counters,
  type Field,
  keyColumns,
  MIGRATION,
  TABLES,
  type Table,
  type TableKey,
  type TableRow,
  type TableStore,
  unknownAmong,
} from '../copied-tables.ts';
import { writtenMeanwhile } from '../setting-store.ts';
import type { Database, Row, Transaction } from './database.ts';

/** Prepares a table for rows. */
type PrepareRows = (tx: Transaction, table: Table, rows: readonly TableRow[]) => Promise<void>;

/** The tables of a store in PostgreSQL. */
export class PostgresTableStore implements TableStore {
  readonly place: string;
  readonly #database: Database;
  readonly #prepare: PrepareRows;

  /** @param prepare called before rows are appended to a table, in the transaction that appends them */
  constructor(database: Database, prepare: PrepareRows) {
    this.#database = database;
    this.#prepare = prepare;
    this.place = database.name;
  }

  async unknownTables(): Promise<string[]> {
    const found = await this.#database.rows<{ table: string; column: string }>(`
      SELECT c.relname::text AS "table", a.attname::text AS "column"
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND c.relnamespace = current_schema()::regnamespace
        AND a.attnum > 0 AND NOT a.attisdropped`);
    return unknownAmong(found);
  }

  async count({ name, where = 'true' }: Table): Promise<number> {
    const sql = `SELECT count(*) AS count FROM ${name} WHERE ${where}`;
    return this.#database.view(async (tx) => {
      // With a hundred million rows, this takes minutes.
      await tx.script('SET LOCAL statement_timeout = 0');
      const [row] = await tx.rows<{ count: number }>(sql);
      return row!.count;
    });
  }

  lastKey(table: Table): Promise<TableKey | null> {
    return lastKey(table, (sql) => this.#database.rows(sql));
  }

  async rowsAfter(table: Table, key: TableKey | null, limit: number): Promise<TableRow[]> {
    const { name, columns, where = 'true' } = table;
    const keys = keyColumns(table);
    const marks = keys.map((_, i) => `$${i + 2}`);
    const after = key === null ? '' : `AND (${keys}) > (${marks})`;
    const sql = `
      SELECT ${columns} FROM ${name} WHERE ${where} ${after}
      ORDER BY ${keys} LIMIT $1`;
    const rows = await this.#database.rows<Record<string, Field>>(sql, [limit, ...(key ?? [])]);
    return rows.map((row) => columns.map((column) => row[column]!));
  }

  append(table: Table, after: TableKey | null, rows: readonly TableRow[]): Promise<void> {
    return this.#database.write(async (tx) => {
      const last = await lastKey(table, (sql) => tx.rows(sql));
      if (String(last) !== String(after)) throw writtenMeanwhile(this.place);
      await this.#prepare(tx, table, rows);
      await tx.copy(`${table.name} (${table.columns})`, rows);
    });
  }

  async counters(): Promise<Counters> {
    const last = (table: string) =>
      `coalesce(pg_sequence_last_value(pg_get_serial_sequence('${table}', 'row_id')::regclass), 0)`;
    const [row] = await this.#database.rows<Counters>(`
      SELECT (SELECT seq FROM change_log_head) AS "changeLog",
             (SELECT seq FROM change_log_floor) AS floor,
             (SELECT at FROM change_log_floor) AS "floorAt",
             (SELECT greatest FROM removed_numbers) AS "removedTracks",
             ${last('artists')} AS artists, ${last('filters')} AS filters`);
    return row!;
  }

  settle(counters: Counters): Promise<void> {
    const { changeLog, floor, floorAt, removedTracks, ...sequences } = counters;
    return this.#database.write(async (tx) => {
      await tx.run('UPDATE change_log_floor SET seq = $1, at = $2', [floor, floorAt]);
      await tx.run('UPDATE change_log_head SET seq = $1', [changeLog]);
      await tx.run('UPDATE removed_numbers SET greatest = $1', [removedTracks]);
      for (const { name, columns } of TABLES) {
        const least = name in sequences ? sequences[name as keyof typeof sequences] : 0;
        if (columns[0] === 'row_id') await advance(tx, name, least);
      }
      // Without this, the first query plans would be made for empty tables.
      for (const { name } of TABLES) await tx.script(`ANALYZE ${name}`);
    });
  }

  claim(value: string): Promise<boolean> {
    return this.#database.write(async (tx) => {
      const rows = TABLES.map(({ name }) => `EXISTS (SELECT FROM ${name})`);
      const [found] = await tx.rows<{ used: boolean }>(`
        SELECT ${rows.join(' OR ')} OR (SELECT seq FROM change_log_head) > 0
               OR (SELECT greatest FROM removed_numbers) > 0 AS used`);
      if (found!.used) return false;
      await tx.run('INSERT INTO settings (name, value) VALUES ($1, $2)', [MIGRATION, value]);
      return true;
    });
  }
}

async function lastKey(
  table: Table,
  rows: (sql: string) => Promise<Row[]>,
): Promise<TableKey | null> {
  const { name, where = 'true' } = table;
  const keys = keyColumns(table);
  const descending = keys.map((key) => `${key} DESC`);
  const [row] = await rows(
    `SELECT ${keys} FROM ${name} WHERE ${where} ORDER BY ${descending} LIMIT 1`,
  );
  return row === undefined ? null : keys.map((key) => row[key] as string | number);
}

/** Sets the identity sequence of a table past its largest number, if the table has one. */
async function advance(tx: Transaction, name: string, least: number): Promise<void> {
  const sql = `
    SELECT setval(sequence, greatest(last, 1), last > 0)
    FROM pg_get_serial_sequence('${name}', 'row_id') AS sequence,
         (SELECT greatest(coalesce(max(row_id), 0), $1::bigint) AS last FROM ${name}) numbers
    WHERE sequence IS NOT NULL`;
  await tx.rows(sql, [least]);
}

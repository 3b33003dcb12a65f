import {
  type Counters,
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
import type { Database } from './database.ts';

type Stored = string | number | bigint | null | Uint8Array;

/** The tables of a store in SQLite. */
export class SqliteTableStore implements TableStore {
  readonly place: string;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    this.place = database.path;
  }

  async unknownTables(): Promise<string[]> {
    const sql = `
      SELECT t.name AS "table", c.name AS "column"
      FROM pragma_table_list AS t JOIN pragma_table_xinfo(t.name) AS c
      WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`;
    const found = await this.#database.read(() => this.#database.prepare(sql).all());
    return unknownAmong(found as { table: string; column: string }[]);
  }

  async count({ name, where = 'true' }: Table): Promise<number> {
    const sql = `SELECT count(*) AS count FROM ${name} WHERE ${where}`;
    const row = await this.#database.read(() => this.#database.prepare(sql).get());
    return row!.count as number;
  }

  lastKey(table: Table): Promise<TableKey | null> {
    return this.#database.read(() => this.#lastKey(table));
  }

  async rowsAfter(table: Table, key: TableKey | null, limit: number): Promise<TableRow[]> {
    const { name, columns, where = 'true' } = table;
    const keys = keyColumns(table);
    const after = key === null ? '' : `AND (${keys}) > (${keys.map(() => '?')})`;
    const sql = `
      SELECT ${columns} FROM ${name} WHERE ${where} ${after}
      ORDER BY ${keys} LIMIT ?`;
    const rows = await this.#database.read(() =>
      this.#database.prepareRows(sql).all(...(key ?? []), limit),
    );
    const booleans = placesOfBooleans(table);
    return (rows as unknown as Stored[][]).map((row) => toFields(row, booleans));
  }

  append(table: Table, after: TableKey | null, rows: readonly TableRow[]): Promise<void> {
    const { name, columns } = table;
    const sql = `INSERT INTO ${name} (${columns}) VALUES (${columns.map(() => '?')})`;
    return this.#database.write(() => {
      if (String(this.#lastKey(table)) !== String(after)) throw writtenMeanwhile(this.place);
      const insert = this.#database.prepare(sql);
      for (const row of rows) insert.run(...row.map(toStored));
    });
  }

  async counters(): Promise<Counters> {
    const sql = `
      SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS changeLog,
             (SELECT seq FROM change_log_floor) AS floor,
             (SELECT at FROM change_log_floor) AS floorAt,
             (SELECT greatest FROM removed_numbers) AS removedTracks,
             (SELECT seq FROM sqlite_sequence WHERE name = 'artists') AS artists,
             (SELECT seq FROM sqlite_sequence WHERE name = 'filters') AS filters`;
    const row = await this.#database.read(() => this.#database.prepare(sql).get());
    // SQLite has no sequence of a table before its first row.
    const counters = Object.entries(row!).map(([name, number]) => [name, number ?? 0]);
    return Object.fromEntries(counters) as Counters;
  }

  settle(counters: Counters): Promise<void> {
    const { changeLog, floor, floorAt, removedTracks, artists, filters } = counters;
    return this.#database.write(() => {
      this.#database.prepare('UPDATE change_log_floor SET seq = ?, at = ?').run(floor, floorAt);
      this.#database.prepare('UPDATE removed_numbers SET greatest = ?').run(removedTracks);
      // This table of SQLite has no unique key, so old rows of the same name must be deleted.
      const remove = this.#database.prepare('DELETE FROM sqlite_sequence WHERE name = ?');
      const insert = this.#database.prepare(
        'INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)',
      );
      for (const [name, seq] of Object.entries({ change_log: changeLog, artists, filters })) {
        remove.run(name);
        insert.run(name, seq);
      }
    });
  }

  claim(value: string): Promise<boolean> {
    return this.#database.write(() => {
      const used = TABLES.some(({ name }) =>
        this.#database.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get(),
      );
      const counted = this.#database
        .prepare(
          'SELECT (SELECT max(seq) FROM sqlite_sequence) AS seq, greatest FROM removed_numbers',
        )
        .get();
      if (used || counted?.seq || counted?.greatest) return false;
      this.#database
        .prepare('INSERT INTO settings (name, value) VALUES (?, ?)')
        .run(MIGRATION, value);
      return true;
    });
  }

  #lastKey(table: Table): TableKey | null {
    const { name, where = 'true' } = table;
    const keys = keyColumns(table);
    const descending = keys.map((key) => `${key} DESC`);
    const sql = `SELECT ${keys} FROM ${name} WHERE ${where} ORDER BY ${descending} LIMIT 1`;
    const row = this.#database.prepareRows(sql).get() as unknown as TableKey | undefined;
    // Bytes as `rowsAfter` returns them, because `append` compares keys as texts.
    return row === undefined ? null : (toFields([...row], []) as unknown as TableKey);
  }
}

function placesOfBooleans({ columns, booleans }: Table): number[] {
  return booleans.map((name) => columns.indexOf(name));
}

function toFields(row: Stored[], booleans: readonly number[]): TableRow {
  const fields = row.map((value) =>
    value instanceof Uint8Array
      ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      : value,
  ) as (string | number | boolean | Buffer | null)[];
  for (const place of booleans) fields[place] = fields[place] === 1;
  return fields;
}

function toStored(field: TableRow[number]): string | number | null | Buffer {
  return typeof field === 'boolean' ? Number(field) : field;
}

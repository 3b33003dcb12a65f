import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { DATABASE_FILE } from '../../src/app/open/data-folder.ts';

/** The rows of a table in an order that depends on their values alone. */
export type Rows = Record<string, unknown>[];
/** All tables of a database with their rows. */
export type StoredRows = Readonly<Record<string, Rows>>;

/** Reads every table that the schema of an SQLite database has. */
export function sqliteRows(dataFolder: string): StoredRows {
  const database = new DatabaseSync(join(dataFolder, DATABASE_FILE), { readOnly: true });
  try {
    const names = database
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
      )
      .all() as { name: string }[];
    return Object.fromEntries(
      names.map(({ name }) => [name, sorted(database.prepare(`SELECT * FROM "${name}"`).all())]),
    );
  } finally {
    database.close();
  }
}

/** Reads every table that the schema of a PostgreSQL database has, with the rows of its partitions. */
export async function postgresRows(url: string): Promise<StoredRows> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: names } = await client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class
       WHERE relkind IN ('r', 'p') AND NOT relispartition
         AND relnamespace = current_schema()::regnamespace`,
    );
    const tables: Record<string, Rows> = {};
    for (const { name } of names) {
      tables[name] = sorted((await client.query(`SELECT * FROM "${name}"`)).rows);
    }
    return tables;
  } finally {
    await client.end();
  }
}

function sorted(rows: readonly object[]): Rows {
  const texts = rows.map((row) => {
    const fields = Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));
    const values = fields.map(([column, value]) => [column, normalized(value)]);
    return JSON.stringify(Object.fromEntries(values));
  });
  return texts.sort().map((text) => JSON.parse(text));
}

/** Returns equal values for equal fields of both databases: PostgreSQL has bigints, which pg returns as texts. */
function normalized(value: unknown): unknown {
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`;
  if (typeof value === 'boolean') return String(Number(value));
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
}

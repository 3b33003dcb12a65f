import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { openOn } from '../../../../test/harness/postgres-store.ts';
import { createDatabase, POSTGRES_URL } from '../../../../test/harness/services.ts';
import { openSqliteStore } from '../../../app/open/open-sqlite.ts';
import type { Table } from './table-declaration.ts';
import { databaseName, queryName, TABLES } from './tables.ts';

/** A column of a schema. */
interface Found {
  table: string;
  column: string;
  type: string;
  nullable: boolean;
  /** The position in the primary key, from 1; 0 for a column that is not in it. */
  keyPlace: number;
}

const SQLITE_TYPES = {
  text: 'TEXT',
  integer: 'INTEGER',
  boolean: 'INTEGER',
  bytes: 'BLOB',
};
const POSTGRES_TYPES = {
  text: 'text',
  integer: 'bigint',
  boolean: 'boolean',
  bytes: 'bytea',
};

/** Returns the columns that the schema should have according to the declarations. */
function declared(types: typeof SQLITE_TYPES): Found[] {
  const lengthOf = ({ keyLength, isPartitioned }: Table) =>
    isPartitioned && types === POSTGRES_TYPES ? keyLength + 1 : keyLength;
  return Object.entries<Table>(TABLES).flatMap(([name, table]) =>
    Object.entries(table.columns).map(([column, { kind, isNullable }], place) => ({
      table: databaseName(name),
      column: databaseName(column),
      type: types[kind],
      nullable: isNullable,
      keyPlace: place < lengthOf(table) ? place + 1 : 0,
    })),
  );
}

const inOrder = (columns: readonly Found[]) =>
  columns.toSorted((a, b) => `${a.table}.${a.column}`.localeCompare(`${b.table}.${b.column}`));

/** Returns the columns of declared tables; the other tables belong to one adapter. */
function ofDeclaredTables(columns: readonly Found[]): Found[] {
  const names = Object.keys(TABLES).map(databaseName);
  return inOrder(columns.filter(({ table }) => names.includes(table)));
}

describe('the declared tables', () => {
  it('are equal to the schema in SQLite', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stave-tables-'));
    const path = join(folder, 'stave.db');
    await (await openSqliteStore({ path, clock: { now: () => 1 } })).close();
    const database = new DatabaseSync(path, { readOnly: true });
    const rows = database
      .prepare(
        `SELECT t.name AS "table", c.name AS "column", c.type, c."notnull" = 0 AS nullable,
                c.pk AS keyPlace
         FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c WHERE t.schema = 'main'`,
      )
      .all() as unknown as (Omit<Found, 'nullable'> & { nullable: number })[];
    database.close();
    await rm(folder, { recursive: true });
    // SQLite does not report that a key is not null.
    const found = rows.map((row) => ({
      ...row,
      nullable: row.nullable === 1 && row.keyPlace === 0,
    }));
    expect(ofDeclaredTables(found)).toEqual(inOrder(declared(SQLITE_TYPES)));
  });

  it.skipIf(POSTGRES_URL === undefined)('are equal to the schema in PostgreSQL', async () => {
    const place = await createDatabase();
    await (await openOn(place.url)).close();
    const client = new pg.Client({ connectionString: place.url });
    await client.connect();
    const { rows } = await client.query<Found>(`
      SELECT c.relname AS "table", a.attname AS "column", format_type(a.atttypid, NULL) AS type,
             NOT a.attnotnull AS nullable,
             coalesce(array_position(i.indkey::smallint[], a.attnum) + 1, 0) AS "keyPlace"
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
           LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
      WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace
        AND a.attnum > 0 AND NOT a.attisdropped`);
    await client.end();
    await place.drop();
    expect(ofDeclaredTables(rows)).toEqual(inOrder(declared(POSTGRES_TYPES)));
  });

  it('have names that can be converted to the database form and back', () => {
    for (const [name, { columns }] of Object.entries<Table>(TABLES)) {
      for (const one of [name, ...Object.keys(columns)]) {
        expect(queryName(databaseName(one))).toBe(one);
      }
    }
  });
});

import { type InsertQueryBuilder, type InsertResult, type RawBuilder, sql } from 'kysely';
import type { Queries, RowValue, SqlDatabase, SqlDialect } from './database.ts';
import type { Kind } from './tables/table-declaration.ts';
import type { Tables } from './tables/tables.ts';

/**
 * Returns the statement that inserts rows in their order: 1,024 at most. ON CONFLICT and RETURNING may follow.
 *
 * @param types the types of the columns, which all rows have
 */
export function insertRows<
  Table extends keyof Tables & string,
  Row extends Readonly<Record<string, RowValue>>,
>(
  queries: Queries,
  dialect: SqlDialect,
  table: Table,
  types: Readonly<Record<keyof Row & keyof Tables[Table], Kind>>,
  rows: readonly Row[],
): InsertQueryBuilder<Tables, Table, InsertResult> {
  const columns = Object.keys(types);
  const given = dialect.rows<Record<string, RowValue>, 'given'>('given', types, rows);
  return queries
    .insertInto(table)
    .columns(columns as never)
    .expression(({ selectFrom }) =>
      selectFrom(given)
        .select(columns as never)
        // Without a condition, SQLite parses ON CONFLICT as a part of a join.
        .where(sql<boolean>`true`),
    ) as never;
}

/** How an added value joins the stored one. */
const JOINED = {
  sum: (stored: Value, added: Value) => sql`${stored} + ${added}`,
  least: (stored: Value, added: Value) =>
    sql`CASE WHEN ${added} < ${stored} THEN ${added} ELSE ${stored} END`,
  greatest: (stored: Value, added: Value) =>
    sql`CASE WHEN ${added} > ${stored} THEN ${added} ELSE ${stored} END`,
};
type Value = RawBuilder<unknown>;

/**
 * Adds counts to the stored ones of the same key: 1,024 at most. Does not exclude other writers, and does not wait for the
 * disk.
 *
 * @param joined every column besides the key
 */
export async function addCounts<Table extends keyof Tables & string, Row extends object>(
  database: Pick<SqlDatabase, 'discard' | 'dialect'>,
  table: Table,
  types: Readonly<Record<keyof Row & keyof Tables[Table], Kind>>,
  counts: readonly Row[],
  joined: Readonly<Partial<Record<keyof Row, keyof typeof JOINED>>>,
): Promise<void> {
  const columns = Object.keys(types) as (keyof Row & string)[];
  const rows = counts.map((count) => ({ ...count }) as Record<string, RowValue>);
  const values = columns.flatMap((column) => {
    const join = joined[column];
    const [stored, added] = [table, 'excluded'].map((from) => sql.ref(`${from}.${column}`));
    return join === undefined ? [] : [[column, JOINED[join](stored!, added!)]];
  });
  await database.discard((queries) =>
    insertRows(queries, database.dialect, table, types as never, rows)
      .onConflict((conflict) =>
        conflict
          .columns(columns.filter((column) => joined[column] === undefined) as never)
          .doUpdateSet(Object.fromEntries(values) as never),
      )
      .execute(),
  );
}

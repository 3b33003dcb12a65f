import { type InsertQueryBuilder, type InsertResult, sql } from 'kysely';
import type { Queries, RowValue, SqlDialect } from './database.ts';
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

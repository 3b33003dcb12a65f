import type { StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
import { keptIn } from '../../../common/memory/caches.ts';
import type { Table } from '../tables/table-declaration.ts';
import { databaseName, queryName, TABLES } from '../tables/tables.ts';
import type { Database } from './database.ts';

type Row = Record<string, unknown>;
/** A parameter of a SQLite statement. */
export type Parameter = string | number | null | Uint8Array;

/** The parameters of many rows, which a query has as one. */
export class RowParameters {
  readonly values: readonly Parameter[];

  constructor(values: readonly Parameter[]) {
    this.values = values;
  }
}

interface ResultColumn {
  name: string;
  isBoolean: boolean;
}

/** The names (`table.column`) of the columns that store booleans as 0 and 1. */
const BOOLEANS: ReadonlySet<string> = new Set(
  Object.entries<Table>(TABLES).flatMap(([table, { columns }]) =>
    Object.entries(columns)
      .filter(([, { kind }]) => kind === 'boolean')
      .map(([column]) => `${databaseName(table)}.${databaseName(column)}`),
  ),
);

/** Executes compiled queries on a connection. The rows have the names and types of queries. */
export class StatementExecutor {
  readonly #database: Database;
  readonly #results = new WeakMap<StatementSync, readonly ResultColumn[]>();

  constructor(database: Database) {
    this.#database = database;
  }

  execute({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): QueryResult<unknown> {
    const statement = this.#database.prepareRows(sql);
    const values = parameters.flatMap((parameter) =>
      parameter instanceof RowParameters ? parameter.values : [toParameter(parameter)],
    );
    const columns = this.#columnsOf(statement);
    if (columns.length === 0) {
      return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
    }
    const rows = statement.all(...values) as unknown as unknown[][];
    return { rows: rows.map((row) => toRow(row, columns)) };
  }

  #columnsOf(statement: StatementSync): readonly ResultColumn[] {
    return keptIn(this.#results, statement, () =>
      statement.columns().map(({ name, table, column }) => ({
        name: queryName(name),
        isBoolean: BOOLEANS.has(`${table}.${column}`),
      })),
    );
  }
}

export function toParameter(value: unknown): Parameter {
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

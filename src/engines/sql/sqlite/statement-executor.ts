import type { StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
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

/** Makes a row of the values of a result. */
type MakeRow = (values: readonly unknown[]) => Row;

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
  /** Null for a statement without a result. */
  readonly #makers = new WeakMap<StatementSync, MakeRow | null>();

  constructor(database: Database) {
    this.#database = database;
  }

  execute({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): QueryResult<unknown> {
    const statement = this.#database.prepareRows(sql);
    const values = parameters.flatMap((parameter) =>
      parameter instanceof RowParameters ? parameter.values : [toParameter(parameter)],
    );
    const make = this.#makerOf(statement);
    if (make === null) {
      return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
    }
    const rows = statement.all(...values) as unknown as unknown[][];
    return { rows: rows.map(make) };
  }

  #makerOf(statement: StatementSync): MakeRow | null {
    const found = this.#makers.get(statement);
    if (found !== undefined) return found;
    const columns = statement.columns();
    const make = columns.length === 0 ? null : rowMaker(columns);
    this.#makers.set(statement, make);
    return make;
  }
}

export function toParameter(value: unknown): Parameter {
  return typeof value === 'boolean' ? Number(value) : (value as Parameter);
}

/**
 * Returns a function that is compiled for a result. Adding the columns to an object one by one, by their names, takes 2 µs
 * for a track, as long as reading them.
 */
function rowMaker(columns: ReturnType<StatementSync['columns']>): MakeRow {
  const members = columns.map(({ name, table, column }, place) => {
    const read = BOOLEANS.has(`${table}.${column}`) ? 'toBoolean' : 'toValue';
    return `${JSON.stringify(queryName(name))}: ${read}(values[${place}])`;
  });
  const body = `return (values) => ({ ${members.join()} })`;
  return new Function('toBoolean', 'toValue', body)(toBoolean, toValue);
}

function toBoolean(value: unknown): unknown {
  return value === null ? null : value === 1;
}

function toValue(value: unknown): unknown {
  return value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : value;
}

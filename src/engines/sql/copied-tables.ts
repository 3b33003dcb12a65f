/**
 * The tables of the store with their columns, for moving it from one adapter to another
 * (docs/adr/0018-migrate-store.md), as `engines/sql/tables/tables.ts` declares them.
 */

import type { Table as Declaration } from './tables/table-declaration.ts';
import { booleanColumns, TABLES as DECLARED, databaseName } from './tables/tables.ts';

/** One value, in the same form from every adapter. */
export type Field = string | number | boolean | Buffer | null;
/** The values of one row, in the order of the columns of its table. */
export type TableRow = readonly Field[];
/** The key of a row: its first values. */
export type TableKey = readonly (string | number | Buffer)[];

/** One table of the store. */
export interface Table {
  name: string;
  /** The columns of the key come first. */
  columns: readonly string[];
  /** The number of columns in the key. */
  keyLength: number;
  /** The boolean columns, which SQLite stores as 1 and 0. */
  booleans: readonly string[];
  /** The number of rows that are copied at once: a few megabytes. */
  slice: number;
  /** An SQL condition for the rows to copy, if not all are copied. */
  where?: string;
}

/** The setting that marks a database while a migration into it is unfinished. */
export const MIGRATION = 'migration';

/** The condition for the rows to copy, of the tables of which not all are copied. */
const CONDITIONS: Readonly<Record<string, string>> = {
  settings: `name <> '${MIGRATION}'`,
  // The requests of other keys end before the new store serves.
  idempotencyKeys: `state = 'done'`,
};

/** The numbers of rows that are copied at once: of long rows, and of others. */
const LONG_SLICE = 2_000;
const SLICE = 10_000;

/** The tables to copy. A table that another one refers to comes first. */
export const TABLES: readonly Table[] = Object.entries<Declaration>(DECLARED)
  .filter(([, table]) => !table.isLocal)
  .map(([name, table]) => ({
    name: databaseName(name),
    columns: Object.keys(table.columns).map(databaseName),
    keyLength: table.keyLength,
    booleans: booleanColumns(table),
    slice: table.hasLongRows ? LONG_SLICE : SLICE,
    ...(CONDITIONS[name] !== undefined && { where: CONDITIONS[name] }),
  }));

/** Tables that belong to one adapter or one moment. `Counters` contains what a move needs of them. */
const NOT_MIGRATED: readonly string[] = [
  ...Object.entries<Declaration>(DECLARED)
    .filter(([, table]) => table.isLocal)
    .map(([name]) => databaseName(name)),
  'change_log_head',
  'delivery_sessions',
  'delivered_tracks',
  'listed_tracks',
  'previewed_tracks',
  'stave_schema',
];

/**
 * The greatest numbers that were ever assigned, which may be greater than those in the tables, because no
 * number is reused.
 */
export interface Counters {
  changeLog: number;
  /** What has expired of the change log (`LogBounds`). */
  floor: number;
  floorAt: number;
  /** The greatest row id of a removed track. */
  removedTracks: number;
  artists: number;
  filters: number;
}

/** The tables of the store, for moving it. The change log does not record these writes. */
export interface TableStore {
  /** The name of the database in messages, without secrets. */
  readonly place: string;
  /**
   * Returns the tables and columns (`table.column`) that a newer version of Stave has added. They cannot be
   * moved.
   */
  unknownTables(): Promise<string[]>;
  count(table: Table): Promise<number>;
  /** Returns the key of the last row in key order; null if the table is empty. */
  lastKey(table: Table): Promise<TableKey | null>;
  /** Returns up to `limit` rows after a key, in key order; null means from the first row. */
  rowsAfter(table: Table, key: TableKey | null, limit: number): Promise<TableRow[]>;
  /**
   * Adds rows in one transaction. Throws OperatorError if the key of the last row is no longer `after`,
   * because another process writes too.
   */
  append(table: Table, after: TableKey | null, rows: readonly TableRow[]): Promise<void>;
  counters(): Promise<Counters>;
  /** Sets the counters, and prepares the database for use after many writes. */
  settle(counters: Counters): Promise<void>;
  /** Sets MIGRATION if the store is empty. Returns whether it was. */
  claim(value: string): Promise<boolean>;
}

/** Returns the key of a row. */
export function keyOf(table: Table, row: TableRow): TableKey {
  return row.slice(0, table.keyLength) as unknown as TableKey;
}

/** Returns the columns of the key of a table, for ORDER BY. */
export function keyColumns({ columns, keyLength }: Table): string[] {
  return columns.slice(0, keyLength);
}

/** Returns the tables and columns of a schema that TABLES does not have. */
export function unknownAmong(found: readonly { table: string; column: string }[]): string[] {
  const unknown = new Set<string>();
  for (const { table: name, column } of found) {
    if (NOT_MIGRATED.includes(name)) continue;
    const known = TABLES.find((one) => one.name === name);
    if (known === undefined) unknown.add(name);
    else if (!known.columns.includes(column)) unknown.add(`${name}.${column}`);
  }
  return [...unknown].sort();
}

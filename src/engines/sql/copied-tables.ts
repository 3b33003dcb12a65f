/**
 * The tables of the store with their columns, for moving it from one adapter to another
 * (docs/adr/0018-migrate-store.md), as `engines/sql/tables/tables.ts` declares them.
 */

import { type RawBuilder, sql } from 'kysely';
import { OperatorError } from '../../common/errors.ts';
import type { Queries, SqlDatabase } from './database.ts';
import type { Table as Declaration } from './tables/table-declaration.ts';
import { TABLES as DECLARED, databaseName, queryName } from './tables/tables.ts';

/** A value, in the same form from both databases. */
export type Field = string | number | boolean | Buffer | null;
/** The values of one row, in the order of the columns of its table. */
export type TableRow = readonly Field[];
/** The first values of a row. */
export type TableKey = readonly (string | number | Buffer)[];

export interface Table {
  name: string;
  /** The columns of the key come first. */
  columns: readonly string[];
  keyLength: number;
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
    slice: table.hasLongRows ? LONG_SLICE : SLICE,
    ...(CONDITIONS[name] !== undefined && { where: CONDITIONS[name] }),
  }));

/** The tables that belong to one database or one moment. `Counters` contains what a move needs of them. */
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
export abstract class TableStore {
  /** The name of the database in messages, without secrets. */
  readonly place: string;
  protected readonly database: SqlDatabase;

  constructor(place: string, database: SqlDatabase) {
    this.place = place;
    this.database = database;
  }

  /**
   * Returns the tables and columns (`table.column`) that a newer version of Stave has added. They cannot be
   * moved.
   */
  async unknownTables(): Promise<string[]> {
    const { rows } = await this.columns.execute(this.database.queries);
    const unknown = new Set<string>();
    for (const { table: name, column } of rows) {
      if (NOT_MIGRATED.includes(name)) continue;
      const known = TABLES.find((one) => one.name === name);
      if (known === undefined) unknown.add(name);
      else if (!known.columns.includes(column)) unknown.add(`${name}.${column}`);
    }
    return [...unknown].sort();
  }

  async count({ name, where }: Table, queries = this.database.queries): Promise<number> {
    const all = sql<{ count: number }>`SELECT count(*) AS count FROM ${rowsOf(name, where)}`;
    return (await all.execute(queries)).rows[0]!.count;
  }

  /** Returns the key of the last row in key order; null if the table is empty. */
  async lastKey(table: Table, queries = this.database.queries): Promise<TableKey | null> {
    const keys = table.columns.slice(0, table.keyLength);
    const descending = keys.map((key) => `${key} DESC`);
    const last = sql<Record<string, string | number | Buffer>>`
      SELECT ${sql.raw(keys.join())} FROM ${rowsOf(table.name, table.where)}
      ORDER BY ${sql.raw(descending.join())} LIMIT 1`;
    const [row] = (await last.execute(queries)).rows;
    return row === undefined ? null : keys.map((key) => row[queryName(key)]!);
  }

  /** Returns up to `limit` rows after a key, in key order; null means from the first row. */
  async rowsAfter(
    table: Table,
    key: TableKey | null,
    limit: number,
    queries = this.database.queries,
  ): Promise<TableRow[]> {
    const { name, columns, keyLength, where } = table;
    const keys = sql.raw(columns.slice(0, keyLength).join());
    const after = key === null ? sql`` : sql`AND (${keys}) > (${sql.join(key)})`;
    const slice = sql<Record<string, Field>>`
      SELECT ${sql.raw(columns.join())} FROM ${rowsOf(name, where)} ${after}
      ORDER BY ${keys} LIMIT ${limit}`;
    const { rows } = await slice.execute(queries);
    const names = columns.map(queryName);
    return rows.map((row) => names.map((column) => row[column]!));
  }

  /**
   * Adds rows in one transaction. Throws OperatorError if the key of the last row is no longer `after`,
   * because another process writes too.
   */
  abstract append(table: Table, after: TableKey | null, rows: readonly TableRow[]): Promise<void>;

  async counters(queries = this.database.queries): Promise<Counters> {
    const counters = sql<Counters>`
      SELECT ${this.database.dialect.logHead} AS "changeLog",
             (SELECT seq FROM change_log_floor) AS floor,
             (SELECT at FROM change_log_floor) AS "floorAt",
             (SELECT greatest FROM removed_numbers) AS "removedTracks",
             ${this.lastRowId('artists')} AS artists, ${this.lastRowId('filters')} AS filters`;
    return (await counters.execute(queries)).rows[0]!;
  }

  /** Sets the counters, and prepares the database for use after many writes. */
  settle(counters: Counters): Promise<void> {
    const { floor, floorAt, removedTracks } = counters;
    return this.database.write(async ({ queries }) => {
      await queries.updateTable('changeLogFloor').set({ seq: floor, at: floorAt }).execute();
      await queries.updateTable('removedNumbers').set({ greatest: removedTracks }).execute();
      await this.settleNumbers(queries, counters);
    });
  }

  /** Copies all tables into an empty store, as they are at one moment. Writers go on meanwhile, if this is on a server. */
  async copyTo(target: TableStore): Promise<void> {
    let failure: unknown;
    await this.database.view(async (queries) => {
      // Another attempt would see another moment, and the target is no longer empty.
      if (failure !== undefined) throw failure;
      try {
        for (const table of TABLES) await this.#copyTable(table, target, queries);
        await target.settle(await this.counters(queries));
      } catch (error) {
        failure = error;
        throw error;
      }
    });
  }

  async #copyTable(table: Table, target: TableStore, queries: Queries): Promise<void> {
    let after: TableKey | null = null;
    for (;;) {
      const rows: TableRow[] = await this.rowsAfter(table, after, table.slice, queries);
      if (rows.length > 0) await target.append(table, after, rows);
      if (rows.length < table.slice) return;
      after = keyOf(table, rows.at(-1)!);
    }
  }

  /** Empties the tables of processes that run, for a copy of the database, which none of them uses. */
  async forgetProcesses(): Promise<void> {
    await this.database.write(async ({ queries }) => {
      for (const table of ['leases', 'nodes', 'renditionNodes'] as const) {
        await queries.deleteFrom(table).execute();
      }
    });
  }

  /** Sets MIGRATION if the store is empty. Returns whether it was. */
  claim(value: string): Promise<boolean> {
    return this.database.write(async ({ queries }) => {
      const tables = TABLES.map(({ name }) => `EXISTS (SELECT 1 FROM ${name})`);
      const isUsed = sql<{ used: unknown }>`
        SELECT ${sql.raw(tables.join(' OR '))} OR ${this.database.dialect.logHead} > 0
               OR (SELECT greatest FROM removed_numbers) > 0 AS used`;
      const { rows } = await isUsed.execute(queries);
      if (rows[0]!.used) return false;
      await queries.insertInto('settings').values({ name: MIGRATION, value }).execute();
      return true;
    });
  }

  /** A query of the columns of all tables of the database. */
  protected abstract readonly columns: RawBuilder<{ table: string; column: string }>;
  /** Returns an expression for the last row id that the database assigned in a table; 0 if there is none. */
  protected abstract lastRowId(table: 'artists' | 'filters'): RawBuilder<number>;
  /** Sets the numbers from which the database counts on, and prepares it for use after many writes. */
  protected abstract settleNumbers(queries: Queries, counters: Counters): Promise<void>;

  /** Throws OperatorError if this is not the key of the last row of a table. */
  protected async requireLast(queries: Queries, table: Table, key: TableKey | null): Promise<void> {
    if (String(await this.lastKey(table, queries)) === String(key)) return;
    throw new OperatorError(
      `Something else writes to ${this.place}: stop it, and run stave migrate-store again.`,
    );
  }
}

function rowsOf(name: string, where = 'true'): RawBuilder<unknown> {
  return sql.raw(`${name} WHERE ${where}`);
}

export function keyOf(table: Table, row: TableRow): TableKey {
  return row.slice(0, table.keyLength) as unknown as TableKey;
}

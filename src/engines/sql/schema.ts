/**
 * The schema version after the first step. Lower versions existed only in development, before that step replaced theirs.
 */
export const FIRST_VERSION = 42;

/** What a step of the schema does to a database as it is now. Tables that a pending step creates count as new. */
export interface StepEffects {
  creates: readonly string[];
  /** New columns, as `table.column`. */
  addsColumns: readonly string[];
  /** Existing tables that get an index, for which all their rows are read. */
  indexes: readonly string[];
  /** New tables that are filled from existing ones. */
  fills: readonly string[];
  /** Existing tables whose rows are changed. */
  rewrites: readonly string[];
  /** What exists and is removed: tables, columns and indexes. */
  removes: readonly string[];
}

/** A step of the schema that a database lacks. */
export interface PendingStep extends StepEffects {
  /** The schema version after the step. */
  version: number;
  summary: string;
  /** The oldest schema version whose program works with the database after it. */
  compatibleFrom: number;
}

/** A table that pending steps read or change as a whole. */
export interface AffectedTable {
  name: string;
  rows: number;
  /** Null on SQLite, which does not report it. */
  bytes: number | null;
}

/** The schema of a database, and what a migration would do to it. */
export interface SchemaInspection {
  /** The name of the database in messages, without secrets. */
  place: string;
  isServer: boolean;
  /** The schema version; 0 if the database is empty or does not exist. */
  version: number;
  /** The schema version of this program. */
  known: number;
  /** The oldest schema version whose program works with the database now; on SQLite, `version`. */
  compatibleFrom: number;
  steps: readonly PendingStep[];
  affected: readonly AffectedTable[];
  databaseBytes: number;
  /** What of it is free and is not given back to the disk before `stave compact`. */
  unusedBytes: number;
  /** The free space beside the database; null if it cannot be known. */
  freeBytes: number | null;
}

/**
 * The names that a database has for the parts of a table, so that both databases share most of a migration.
 */
export interface SchemaDialect {
  /** A text that is compared byte by byte. */
  text: string;
  /** An integer; also a time, in milliseconds since the epoch. */
  integer: string;
  bytes: string;
  false: string;
  /** The type of a column with booleans, with its check. */
  boolean(column: string): string;
  /** The type of a column with a JSON array as text, with its check if the database has one. */
  jsonArray(column: string): string;
  /** A number that the database assigns to each new row, as its primary key. */
  rowNumber: string;
  /** Like `rowNumber`, but never reused, even after the newest rows were deleted. */
  neverReusedRowNumber: string;
  /** The number of a change, as primary key. In PostgreSQL, the writer takes it from change_log_head. */
  logNumber: string;
  /**
   * A reference in a table that imports write in bulk. PostgreSQL has no reference there, because checking
   * them row by row took half of the time of the server. Only imports and the removal of a source write these
   * tables, under the write lock.
   */
  bulkReference(target: string): string;
  /** The end of a table: with a row number, and with another primary key by which its rows are clustered. */
  table: string;
  keyedTable: string;
  /** Whether a text contains only characters of a range such as `a-z0-9-`. */
  hasOnly(column: string, characters: string): string;
}

/** SQL for both databases. */
export interface SchemaPart {
  /** The SQL that both databases share. */
  common(dialect: SchemaDialect): string;
  /** The SQL of one database, which runs after the shared part. */
  sqlite?: string;
  postgres?: string;
}

/** One step of the schema, for both databases. It is never edited. */
export interface Migration extends SchemaPart {
  /** The purpose, in a line that `stave upgrade --check` shows. */
  summary: string;
  /**
   * The oldest schema version whose program still works with the database after this step. A step that only
   * adds (expand) does not change it. A step that removes something (contract) comes one release after the
   * program stopped using it, so that two consecutive releases can always run side by side.
   */
  compatibleFrom: number;
}

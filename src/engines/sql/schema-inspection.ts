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
  /** The schema version after it. */
  version: number;
  summary: string;
  /** The oldest schema version whose program works with the database after it. */
  compatibleFrom: number;
}

/** A table that pending steps read or change as a whole. */
export interface AffectedTable {
  name: string;
  rows: number;
  /** Null if the database does not tell. */
  bytes: number | null;
}

/** A database as a program finds it, which changes nothing. */
export interface SchemaInspection {
  /** The name of the database in messages, without secrets. */
  place: string;
  isServer: boolean;
  /** Its schema version; 0 if it is empty or does not exist. */
  version: number;
  /** The schema version of this program. */
  known: number;
  /** The oldest schema version whose program works with the database now; on SQLite its own. */
  compatibleFrom: number;
  steps: readonly PendingStep[];
  affected: readonly AffectedTable[];
  databaseBytes: number;
  /** The free space beside the database; null if it cannot be known. */
  freeBytes: number | null;
}

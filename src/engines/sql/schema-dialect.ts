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
  /** What it is for, in a line that `stave upgrade --check` shows. */
  summary: string;
  /**
   * The oldest schema version whose program still works with the database after this step. A step that only
   * adds (expand) does not change it. A step that removes something (contract) comes one release after the
   * program stopped using it, so that two consecutive releases can always run side by side.
   */
  compatibleFrom: number;
}

/** The location of the system of record as plain data, for threads that open their own connection. */
export interface StoreLocation {
  dataFolder: string;
  /** PostgreSQL; null: SQLite in the data folder. The URL may contain a password. */
  database: { url: string; pool: number } | null;
}

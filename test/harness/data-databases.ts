import { createDatabaseSync } from './services.ts';

/** The PostgreSQL database of each data folder. */
const databases = new Map<string, { url: string; drop(): void }>();

/** The URL of the database of a data folder, which is made when it is first needed. */
export function databaseOf(data: string): string {
  let database = databases.get(data);
  if (database === undefined) {
    database = createDatabaseSync();
    databases.set(data, database);
  }
  return database.url;
}

/** Drops the databases of the data folders below a path. */
export function dropDatabases(below: string): void {
  for (const [data, database] of databases) {
    if (!data.startsWith(below)) continue;
    database.drop();
    databases.delete(data);
  }
}

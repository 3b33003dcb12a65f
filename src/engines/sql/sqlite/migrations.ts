import { OperatorError } from '../../../common/operator-error.ts';
import {
  MIGRATIONS,
  newerSchema,
  refuseUnreleased,
  stepsAfter,
  versionAfter,
} from '../migrations.ts';
import type { Migration, SchemaDialect } from '../schema-dialect.ts';
import type { Database } from './database.ts';

/** Marks a SQLite file as a database of Stave: "Stve" (sqlite.org/pragma.html#pragma_application_id). */
export const APPLICATION_ID = 0x53747665;

const DIALECT: SchemaDialect = {
  text: 'TEXT',
  integer: 'INTEGER',
  bytes: 'BLOB',
  false: '0',
  boolean: (column) => `INTEGER CHECK (${column} IN (0, 1))`,
  jsonArray: (column) => `TEXT CHECK (json_type(${column}) = 'array')`,
  rowNumber: 'INTEGER PRIMARY KEY',
  neverReusedRowNumber: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  logNumber: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  bulkReference: (target) => ` REFERENCES ${target}`,
  table: 'STRICT',
  keyedTable: 'STRICT, WITHOUT ROWID',
  hasOnly: (column, characters) => `${column} NOT GLOB '*[^${characters}]*'`,
};

/** Returns the SQL of a step for SQLite. */
export function sqlOf({ common, sqlite = '' }: Migration): string {
  return common(DIALECT) + sqlite;
}

/**
 * Migrates the schema to the version of this build, all steps in one transaction. Processes that start at the
 * same time wait for each other. Throws OperatorError for a file of a newer build or of another program.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const wanted = versionAfter(migrations);
  const current = await database.read(() => schemaVersion(database, wanted));
  if (current === wanted) return;
  await database.write(() => {
    // Reads the version again: another process may have migrated while this one waited for the lock.
    const from = schemaVersion(database, wanted);
    for (const step of stepsAfter(from, migrations)) database.exec(sqlOf(step));
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec(`PRAGMA user_version = ${wanted}`);
  });
}

function schemaVersion(database: Database, wanted: number): number {
  // One statement is one consistent view. Between several statements, another process could run the first
  // migration.
  const { application, version, tables } = database
    .prepare(
      `SELECT (SELECT application_id FROM pragma_application_id) AS application,
              (SELECT user_version FROM pragma_user_version) AS version,
              (SELECT count(*) FROM sqlite_schema) AS tables`,
    )
    .get() as { application: number; version: number; tables: number };
  if (tables > 0 && application !== APPLICATION_ID) {
    throw new OperatorError(
      `The file ${database.path} is the database of another program: choose another data folder.`,
    );
  }
  refuseUnreleased(version, database.path);
  if (version > wanted) throw newerSchema(database.path, version, wanted);
  return version;
}

import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../../../common/errors.ts';
import { nearestFolder } from '../../../common/files.ts';
import { type Log, silentLog } from '../../../common/log.ts';
import {
  affectedTables,
  MIGRATIONS,
  newerSchema,
  pendingSteps,
  refuseUnreleased,
  runMigrations,
  versionAfter,
} from '../migrations.ts';
import type { Migration, SchemaDialect, SchemaInspection } from '../schema.ts';
import type { Database } from './database.ts';
import { translateSqliteError } from './sqlite-error.ts';

/** Marks a SQLite file as a database of Stave: "Stve" (sqlite.org/pragma.html#pragma_application_id). */
const APPLICATION_ID = 0x53747665;

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

function sqlOf({ common, sqlite = '' }: Migration): string {
  return common(DIALECT) + sqlite;
}

/**
 * Migrates the schema to the version of this build, all steps in one transaction. Processes that start at the
 * same time wait for each other. Throws OperatorError for a file of a newer build or of another program.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
  log: Log = silentLog,
): Promise<void> {
  const wanted = versionAfter(migrations);
  const current = await database.read(() => schemaVersion(database, wanted));
  if (current === wanted) return;
  await database.write(async () => {
    // Reads the version again: another process may have migrated while this one waited for the lock.
    const from = schemaVersion(database, wanted);
    await runMigrations(from, migrations, log, (step) => database.exec(sqlOf(step)));
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

/** How long a read waits for other processes. */
const BUSY_TIMEOUT_MS = 8_000;

/**
 * Examines a SQLite file, which need not exist, without changing it. Throws OperatorError if it cannot be read or belongs
 * to another program.
 */
export async function inspectSqlite(path: string): Promise<SchemaInspection> {
  const known = versionAfter(MIGRATIONS);
  const free = await statfs(nearestFolder(dirname(path)));
  const inspection = {
    place: path,
    isServer: false,
    known,
    freeBytes: free.bavail * free.bsize,
  };
  if (!existsSync(path)) {
    const empty = {
      version: 0,
      compatibleFrom: 0,
      steps: [],
      affected: [],
      databaseBytes: 0,
      unusedBytes: 0,
    };
    return { ...inspection, ...empty };
  }
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    const { version, databaseBytes, unusedBytes, existing } = schemaOf(database, path);
    const steps = pendingSteps(version, MIGRATIONS, { sqlOf, existing });
    const affected = affectedTables(steps).map((name) => ({
      name,
      rows: database!.prepare(`SELECT count(*) AS count FROM ${name}`).get()!.count as number,
      bytes: null,
    }));
    return {
      ...{ ...inspection, version, compatibleFrom: version, steps, affected },
      ...{ databaseBytes, unusedBytes },
    };
  } catch (error) {
    throw translateSqliteError(error, path);
  } finally {
    database?.close();
  }
}

function schemaOf(database: DatabaseSync, path: string) {
  const { application, version, pageBytes, pages, free, mode } = database
    .prepare(
      `SELECT (SELECT application_id FROM pragma_application_id) AS application,
              (SELECT user_version FROM pragma_user_version) AS version,
              page_size AS "pageBytes", page_count AS pages, freelist_count AS free, auto_vacuum AS mode
       FROM pragma_page_size, pragma_page_count, pragma_freelist_count, pragma_auto_vacuum`,
    )
    .get() as Record<'application' | 'version' | 'pageBytes' | 'pages' | 'free' | 'mode', number>;
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  if (tables.length > 0 && application !== APPLICATION_ID) {
    throw new OperatorError(`The file ${path} is the database of another program.`);
  }
  return {
    version,
    databaseBytes: pages * pageBytes,
    unusedBytes: mode === 0 ? free * pageBytes : 0,
    existing: new Set(tables.map(({ name }) => name as string)),
  };
}

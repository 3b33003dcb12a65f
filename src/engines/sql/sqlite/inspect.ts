import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../../../common/operator-error.ts';
import { MIGRATIONS, versionAfter } from '../migrations.ts';
import { affectedTables, pendingSteps } from '../pending-steps.ts';
import type { SchemaInspection } from '../schema-inspection.ts';
import { APPLICATION_ID, sqlOf } from './migrations.ts';
import { translateSqliteError } from './sqlite-error.ts';

/** How long a read waits for other processes. */
const BUSY_TIMEOUT_MS = 8_000;

/**
 * Examines a SQLite file, which need not exist, without changing it. Throws OperatorError if it cannot be read or belongs
 * to another program.
 */
export async function inspectSqlite(path: string): Promise<SchemaInspection> {
  const known = versionAfter(MIGRATIONS);
  const free = await statfs(nearest(path));
  const inspection = {
    place: path,
    isServer: false,
    known,
    freeBytes: free.bavail * free.bsize,
  };
  if (!existsSync(path)) {
    const empty = { version: 0, compatibleFrom: 0, steps: [], affected: [], databaseBytes: 0 };
    return { ...inspection, ...empty };
  }
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    const { version, databaseBytes, existing } = schemaOf(database, path);
    const steps = pendingSteps(version, MIGRATIONS, { sqlOf, existing });
    const affected = affectedTables(steps).map((name) => ({
      name,
      rows: database!.prepare(`SELECT count(*) AS count FROM ${name}`).get()!.count as number,
      bytes: null,
    }));
    return { ...inspection, version, compatibleFrom: version, steps, affected, databaseBytes };
  } catch (error) {
    throw translateSqliteError(error, path);
  } finally {
    database?.close();
  }
}

function schemaOf(database: DatabaseSync, path: string) {
  const { application, version, bytes } = database
    .prepare(
      `SELECT (SELECT application_id FROM pragma_application_id) AS application,
              (SELECT user_version FROM pragma_user_version) AS version,
              (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size) AS bytes`,
    )
    .get() as { application: number; version: number; bytes: number };
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  if (tables.length > 0 && application !== APPLICATION_ID) {
    throw new OperatorError(`The file ${path} is the database of another program.`);
  }
  return {
    version,
    databaseBytes: bytes,
    existing: new Set(tables.map(({ name }) => name as string)),
  };
}

/** Returns the nearest folder of a path that exists. */
function nearest(path: string): string {
  const folder = dirname(path);
  return existsSync(folder) || folder === path ? folder : nearest(folder);
}

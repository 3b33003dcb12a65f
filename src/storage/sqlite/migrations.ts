import { OperatorError } from '../../kernel/operator-error.ts';
import type { Database } from './database.ts';
import { firstRelease } from './migrations/0001-first-release.ts';
import { ranges } from './migrations/0002-ranges.ts';
import { leases } from './migrations/0003-leases.ts';

/** In order; the schema's version is how many have run. One that was released is never edited. */
const MIGRATIONS: readonly string[] = [firstRelease, ranges, leases];

/** The schema version that this build writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** Marks a SQLite file as ours: "Stve" (sqlite.org/pragma.html#pragma_application_id). */
export const APPLICATION_ID = 0x53747665;

/**
 * Brings the schema up to this build's, all steps in one transaction; processes that start at once
 * wait for each other. Throws OperatorError for a file of a newer build or of another program.
 */
export async function migrate(database: Database): Promise<void> {
  const current = await database.read(() => schemaVersion(database));
  if (current === SCHEMA_VERSION) return;
  await database.write(() => {
    // Read again: another process may have migrated while this one waited for the lock.
    const from = schemaVersion(database);
    for (const step of MIGRATIONS.slice(from)) {
      database.exec(step);
    }
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

function schemaVersion(database: Database): number {
  // One statement, one view: read apart, another process's first migration could come between.
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
  if (version > SCHEMA_VERSION) {
    throw new OperatorError(
      `The database ${database.path} was written by a newer version of Stave (schema ${version}, this one knows ${SCHEMA_VERSION}): run that version, or restore a backup.`,
    );
  }
  return version;
}

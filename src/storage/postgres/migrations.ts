import { OperatorError } from '../../kernel/operator-error.ts';
import type { Database, Row } from './database.ts';
import { firstRelease } from './migrations/0001-first-release.ts';

/** One step of the schema. */
interface Migration {
  sql: string;
  /**
   * The oldest schema version whose program still works with the database after this step. A step
   * that only adds (expand) leaves it as it was; one that takes away (contract) comes a release after
   * the program stopped using what goes, so that two releases always run side by side.
   */
  compatibleFrom: number;
}

/** In order; the schema's version is how many have run. One that was released is never edited. */
const MIGRATIONS: readonly Migration[] = [{ sql: firstRelease, compatibleFrom: 1 }];

/** The schema version that this build writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

const CREATE_VERSION = `
  CREATE TABLE stave_schema (version bigint NOT NULL, compatible_from bigint NOT NULL);
  INSERT INTO stave_schema VALUES (0, 0)`;

/**
 * Brings the schema up to this build's, all steps in one transaction; nodes that start at once wait
 * for each other, and older ones go on. A newer schema that still suits this build is left as it is.
 * Throws OperatorError for one that does not, and for the database of another program.
 */
export async function migrate(database: Database): Promise<void> {
  if ((await database.view((tx) => versionOf(tx.rows, database.name))) >= SCHEMA_VERSION) return;
  await database.write(async (tx) => {
    // Read again: another node may have migrated while this one waited for the lock.
    const from = await versionOf(tx.rows, database.name);
    if (from >= SCHEMA_VERSION) return;
    if (from === 0) await tx.script(CREATE_VERSION);
    for (const { sql } of MIGRATIONS.slice(from)) await tx.script(sql);
    await tx.run('UPDATE stave_schema SET version = $1, compatible_from = $2', [
      SCHEMA_VERSION,
      MIGRATIONS.at(-1)!.compatibleFrom,
    ]);
  });
}

/** 0 for an empty database. Throws where this build must not touch it. */
async function versionOf(rows: (sql: string) => Promise<Row[]>, name: string): Promise<number> {
  const [there] = await rows(`
    SELECT to_regclass('stave_schema') IS NOT NULL AS ours,
           EXISTS (SELECT 1 FROM pg_class c
                   WHERE relkind IN ('r', 'p', 'v', 'm', 'f')
                     AND relnamespace = current_schema()::regnamespace
                     AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = c.oid AND deptype = 'e')
           ) AS used`);
  if (!there!.ours) {
    if (!there!.used) return 0;
    throw new OperatorError(
      `The database ${name} holds the tables of another program: name an empty one.`,
    );
  }
  const [schema] = await rows('SELECT version, compatible_from FROM stave_schema');
  const { version, compatible_from: oldest } = schema as {
    version: number;
    compatible_from: number;
  };
  if (oldest > SCHEMA_VERSION) {
    throw new OperatorError(
      `The database ${name} was written by a newer version of Stave (schema ${version}, this one knows ${SCHEMA_VERSION}): run that version, or restore a backup.`,
    );
  }
  return version;
}

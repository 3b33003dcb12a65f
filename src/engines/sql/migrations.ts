import { OperatorError } from '../../common/operator-error.ts';
import { firstSchema } from './migrations/0001-first-schema.ts';
import type { Migration } from './schema-dialect.ts';
import { FIRST_VERSION } from './schema-inspection.ts';

/** The steps in order. Each raises the schema version by one. */
export const MIGRATIONS: readonly Migration[] = [firstSchema];

/** Returns the schema version after these steps; for MIGRATIONS, the version that this build writes. */
export function versionAfter(migrations: readonly Migration[]): number {
  return FIRST_VERSION + migrations.length - 1;
}

/** Returns the steps that a schema of this version lacks. Version 0 is an empty database. */
export function stepsAfter(
  version: number,
  migrations: readonly Migration[],
): readonly Migration[] {
  return version === 0 ? migrations : migrations.slice(version - FIRST_VERSION + 1);
}

/** Throws OperatorError for a schema that was never released, because no step migrates it. */
export function refuseUnreleased(version: number, place: string): void {
  if (version > 0 && version < FIRST_VERSION) {
    throw new OperatorError(
      `The database ${place} was written by a version of Stave from before the first release (schema ${version}): remove it, and import the catalog again.`,
    );
  }
}

/** Returns the error for a schema that is too new for this build. */
export function newerSchema(place: string, version: number, known: number): OperatorError {
  return new OperatorError(
    `The database ${place} was written by a newer version of Stave (schema ${version}, this one knows ${known}): run that version, or restore a backup.`,
  );
}

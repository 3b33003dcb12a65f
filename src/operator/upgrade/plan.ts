import {
  FIRST_VERSION,
  type PendingStep,
  type SchemaInspection,
} from '../../engines/sql/schema-inspection.ts';

/** What an upgrade of the database would be. */
export type UpgradeState =
  /** There is no schema yet; the first start makes it. */
  | 'empty'
  /** Nothing is to do. */
  | 'current'
  /** A newer program has migrated it, and this one works with it. */
  | 'newer'
  /** The next start of this program migrates it. */
  | 'pending'
  /** A newer program has migrated it, and this one refuses it. */
  | 'too new'
  /** It is from before the first release, and no step migrates it. */
  | 'unreleased';

/** The upgrade of a database to a program. */
export interface UpgradePlan extends SchemaInspection {
  state: UpgradeState;
  /** Whether the steps leave all present rows, columns and indexes as they are. */
  onlyAdds: boolean;
  /** Whether nodes of the present version may go on beside the new one. */
  mayRunBeside: boolean;
  /** The free space that the migration needs at most; media not included. */
  neededBytes: number;
}

/** What a migration of small tables needs at most. */
const MIN_BYTES = 50_000_000;

/** Returns what an upgrade of the database would do. */
export function planUpgrade(inspection: SchemaInspection): UpgradePlan {
  const { steps, version, isServer } = inspection;
  const oldest = steps.at(-1)?.compatibleFrom ?? inspection.compatibleFrom;
  return {
    ...inspection,
    state: stateOf(inspection),
    onlyAdds: steps.every(addsOnly),
    // An older program refuses a SQLite file that a newer one has migrated.
    mayRunBeside: steps.length === 0 || (isServer && version >= oldest),
    neededBytes: steps.length === 0 ? 0 : neededBytes(inspection),
  };
}

/** Whether a step leaves all that exists as it is. */
export function addsOnly({ rewrites, removes }: PendingStep): boolean {
  return rewrites.length === 0 && removes.length === 0;
}

function stateOf({ version, known, compatibleFrom, isServer }: SchemaInspection): UpgradeState {
  if (version === 0) return 'empty';
  if (version < FIRST_VERSION) return 'unreleased';
  if (version === known) return 'current';
  if (version < known) return 'pending';
  return isServer && compatibleFrom <= known ? 'newer' : 'too new';
}

/** Changed rows are written anew beside the old ones, and so are the pages of new indexes. */
function neededBytes({ affected, databaseBytes }: SchemaInspection): number {
  const bytes = affected.map((table) => table.bytes ?? databaseBytes);
  const isUnknown = affected.some((table) => table.bytes === null);
  const sum = isUnknown ? Math.max(...bytes) : bytes.reduce((total, one) => total + one, 0);
  return MIN_BYTES + sum;
}

import { OperatorError } from '../../common/errors.ts';
import type { Log } from '../../common/log.ts';
import { firstSchema } from './migrations/0001-first-schema.ts';
import { partOrdinals } from './migrations/0002-part-ordinals.ts';
import { calls } from './migrations/0003-calls.ts';
import { webhookAuthorization } from './migrations/0004-webhook-authorization.ts';
import { history } from './migrations/0005-history.ts';
import { trackEdits } from './migrations/0006-track-edits.ts';
import { requestLines } from './migrations/0007-request-lines.ts';
import { smallerHistoryIndex } from './migrations/0008-smaller-history-index.ts';
import { sounds } from './migrations/0009-sounds.ts';
import { vocalsAndAudio } from './migrations/0010-vocals-and-audio.ts';
import { briefSynonyms } from './migrations/0011-brief-synonyms.ts';
import { provenance } from './migrations/0012-provenance.ts';
import { streams } from './migrations/0013-streams.ts';
import { streamedAudio } from './migrations/0014-streamed-audio.ts';
import { licenseDownloads } from './migrations/0015-license-downloads.ts';
import { sourceProvenance } from './migrations/0016-source-provenance.ts';
import { spendingLimits } from './migrations/0017-spending-limits.ts';
import { collectionLinks } from './migrations/0018-collection-links.ts';
import { coverSizes } from './migrations/0019-cover-sizes.ts';
import { operators } from './migrations/0020-operators.ts';
import { seats } from './migrations/0021-seats.ts';
import { FIRST_VERSION, type Migration, type PendingStep, type StepEffects } from './schema.ts';

/** The steps in order. Each raises the schema version by one. */
export const MIGRATIONS: readonly Migration[] = [
  firstSchema,
  partOrdinals,
  calls,
  webhookAuthorization,
  history,
  trackEdits,
  requestLines,
  smallerHistoryIndex,
  sounds,
  vocalsAndAudio,
  briefSynonyms,
  provenance,
  streams,
  streamedAudio,
  licenseDownloads,
  sourceProvenance,
  spendingLimits,
  collectionLinks,
  coverSizes,
  operators,
  seats,
];

/** Returns the schema version after these steps; for MIGRATIONS, the version that this build writes. */
export function versionAfter(migrations: readonly Migration[]): number {
  return FIRST_VERSION + migrations.length - 1;
}

/** Returns the steps that a schema of this version lacks. Version 0 is an empty database. */
function stepsAfter(version: number, migrations: readonly Migration[]): readonly Migration[] {
  return version === 0 ? migrations : migrations.slice(version - FIRST_VERSION + 1);
}

/**
 * Calls back with each step that a schema of this version lacks, and logs it before, because a step may take minutes. Does
 * not log the steps of an empty database.
 */
export async function runMigrations(
  version: number,
  migrations: readonly Migration[],
  log: Log,
  run: (step: Migration) => void | Promise<void>,
): Promise<void> {
  for (const [i, step] of stepsAfter(version, migrations).entries()) {
    const { summary } = step;
    if (version > 0) log.info({ schema: version + i + 1, summary }, 'migrating the database');
    await run(step);
  }
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

/** What a statement does, by its beginning. The first group is the table, the second a column or an index. */
const STATEMENTS: readonly (readonly [
  form: RegExp,
  take: (found: Found, table: string, part: string | undefined) => void,
])[] = [
  [
    /^CREATE (?:UNLOGGED )?TABLE (\w+)/i,
    (found, table) => {
      found.creates.add(table);
    },
  ],
  [
    /^CREATE (?:UNIQUE )?INDEX \w+ ON (\w+)/i,
    (found, table) => {
      found.indexes.add(table);
    },
  ],
  [
    /^ALTER TABLE (\w+) ADD COLUMN (\w+)/i,
    (found, table, column) => {
      found.addsColumns.add(`${table}.${column}`);
    },
  ],
  [
    /^ALTER TABLE (\w+) DROP COLUMN (\w+)/i,
    (found, table, column) => {
      found.removes.add(`${table}.${column}`);
      found.rewrites.add(table);
    },
  ],
  [/^ALTER TABLE (\w+)/i, (found, table) => found.rewrites.add(table)],
  [/^(?:UPDATE|DELETE FROM) (\w+)/i, (found, table) => found.rewrites.add(table)],
  [/^INSERT INTO (\w+)[\s\S]*\bSELECT\b/i, (found, table) => found.fills.add(table)],
  [/^DROP (?:TABLE|INDEX) (?:IF EXISTS )?(\w+)/i, (found, name) => found.removes.add(name)],
];

type Found = { [Effect in keyof StepEffects]: Set<string> };

/**
 * Returns the steps that a database lacks, with what they do to it; none if no step migrates it, or if it is empty.
 * @param sqlOf the SQL of a step for this database
 * @param existing the tables that the database has
 */
export function pendingSteps(
  version: number,
  migrations: readonly Migration[],
  { sqlOf, existing }: { sqlOf: (migration: Migration) => string; existing: ReadonlySet<string> },
): PendingStep[] {
  if (version < FIRST_VERSION) return [];
  return stepsAfter(version, migrations).map((migration, i) => ({
    version: version + 1 + i,
    summary: migration.summary,
    compatibleFrom: migration.compatibleFrom,
    ...effectsOf(sqlOf(migration), existing),
  }));
}

/** The tables that steps read or change as a whole. */
export function affectedTables(steps: readonly PendingStep[]): string[] {
  return [...new Set(steps.flatMap(({ indexes, rewrites }) => [...indexes, ...rewrites]))].sort();
}

function effectsOf(sql: string, existing: ReadonlySet<string>): StepEffects {
  const found: Found = {
    creates: new Set(),
    addsColumns: new Set(),
    indexes: new Set(),
    fills: new Set(),
    rewrites: new Set(),
    removes: new Set(),
  };
  for (const statement of sql.replace(/--.*$/gm, '').split(';')) {
    for (const [form, take] of STATEMENTS) {
      const match = form.exec(statement.trim().replace(/\s+/g, ' '));
      if (match === null) continue;
      take(found, match[1]!, match[2]);
      break;
    }
  }
  const there = (tables: ReadonlySet<string>) => [...tables].filter((name) => existing.has(name));
  return {
    creates: [...found.creates],
    addsColumns: [...found.addsColumns].filter((column) => existing.has(column.split('.')[0]!)),
    indexes: there(found.indexes),
    fills: [...found.fills].filter((name) => !existing.has(name)),
    rewrites: [...new Set([...there(found.rewrites), ...there(found.fills)])],
    removes: [...found.removes],
  };
}

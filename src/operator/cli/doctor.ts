import type { Command } from 'commander';
import { OperatorError } from '../../common/errors.ts';
import { silentLog } from '../../common/log.ts';
import { counted, printableLine, shownBytes } from '../../common/text/shown.ts';
import { SERVICE_VERSION } from '../../common/version.ts';
import {
  FIRST_VERSION,
  type PendingStep,
  type SchemaInspection,
} from '../../engines/sql/schema.ts';
import type { Finding } from '../doctor/finding.ts';
import { command, type OutputOptions, outputOf, type Shell, waitPolicyOf } from './shell.ts';
import { notEmpty } from './terminal/arguments.ts';
import { writeNewFile } from './terminal/output.ts';
import { facts } from './terminal/table.ts';

const SIGNS = { ok: '✓', warning: '!', failed: '✗' } as const;

export function doctorCommand(shell: Shell): Command {
  return command(shell, 'doctor', 'Check everything that can prevent Stave from working', {
    description:
      'Settings, data folder, disk, database, the service that uses it, keys, media, audio, previews, webhooks, clocks, certificate and port. It ' +
      'changes nothing. Exits with 1 if something prevents Stave from working.',
    examples: [
      ['stave doctor', '✓ ok, ! warning, ✗ failure, with advice'],
      ['stave doctor --json', 'for monitoring'],
      ['stave doctor --bundle report.zip', 'for a bug report, without secrets'],
    ],
  })
    .option(
      '--bundle <file>',
      'also write a new ZIP archive for a bug report: the findings, the settings without secrets, the platform, the schema, the number of rows of each table, and the metrics of the service. The log is not in it',
      notEmpty,
    )
    .action(async ({ bundle: file, ...options }: OutputOptions & { bundle?: string }) => {
      const { nodeVersion, clock, readConfig } = shell;
      const { examine } = await import('../doctor/examine.ts');
      const given = { nodeVersion, clock, readConfig, log: silentLog };
      let findings: Finding[] = [];
      if (file === undefined) {
        findings = await examine(given);
      } else {
        const { bundle } = await import('../doctor/bundle.ts');
        // The file is opened first, because the checks of a large catalog take minutes.
        await writeNewFile(
          file,
          (async function* () {
            findings = await examine(given);
            yield await bundle({ ...given, findings, settings: shell.reportSettings() });
          })(),
        );
      }
      const healthy = findings.every(({ status }) => status !== 'failed');
      outputOf(shell, options).result(
        { healthy, findings, ...(file !== undefined && { bundle: file }) },
        () =>
          [
            ...findings.map(line),
            ...(file === undefined ? [] : [`wrote ${file}: read it before you send it`]),
          ].join('\n'),
      );
      shell.exitCode = healthy ? 0 : 1;
    });
}

function line({ check, status, detail, advice }: Finding): string {
  const text = `${SIGNS[status]} ${check}: ${printableLine(detail)}`;
  return advice === null ? text : `${text}\n  → ${advice}`;
}

const EXIT_CODES: Readonly<Record<UpgradeState, number>> = {
  empty: 0,
  current: 0,
  newer: 0,
  pending: 3,
  'too new': 4,
  unreleased: 4,
};

export function upgradeCommand(shell: Shell): Command {
  return command(
    shell,
    'upgrade',
    'Show what a start of this version would change in the database',
    {
      description:
        'Run it with the program of the new version, and the settings of the service, before the service is upgraded. It reads the database and changes nothing; the next start migrates it. ' +
        'Exits with 0 if nothing is to do, 3 if a start would migrate the database, and 4 if this version cannot use it.',
      examples: [
        ['stave upgrade --check', 'steps, tables, disk space, and whether old nodes may go on'],
        ['stave upgrade --check --json', 'for scripts, which also have the exit code'],
      ],
    },
  )
    .option('--check', 'only show; required, because a start of the service migrates')
    .action(async (options: { check?: boolean; json?: boolean }) => {
      if (options.check !== true) {
        throw new OperatorError(
          'give --check: the database is migrated by the next start of the service, not by this command',
        );
      }
      const config = shell.readConfig();
      const { inspectStore, locationOf } = await import('../../app/open/open-store.ts');
      const waitPolicy = waitPolicyOf(shell, config);
      const inspection = await inspectStore(locationOf(config), { log: silentLog, waitPolicy });
      const plan = planUpgrade(inspection);
      outputOf(shell, options).result({ programVersion: SERVICE_VERSION, ...plan }, () =>
        forPeople(plan),
      );
      shell.exitCode = EXIT_CODES[plan.state];
    });
}

function forPeople(plan: UpgradePlan): string {
  const about = facts([
    ['database', plan.place],
    ['schema now', plan.version === 0 ? 'none' : String(plan.version)],
    [`schema of ${SERVICE_VERSION}`, String(plan.known)],
  ]);
  return [about, verdictOf(plan), ...(plan.state === 'pending' ? pending(plan) : [])].join('\n\n');
}

function verdictOf({ state, version, known, steps }: UpgradePlan): string {
  switch (state) {
    case 'empty':
      return 'Nothing is to do: the first start makes the schema.';
    case 'current':
      return 'Nothing is to do: the database has the schema of this version.';
    case 'newer':
      return `Nothing is to do: a newer version has migrated the database (schema ${version}), and this one works with it.`;
    case 'pending':
      return `The next start migrates the database by ${counted(steps.length, 'step')}, in one transaction:`;
    case 'too new':
      return `This version cannot use the database: a newer one has migrated it (schema ${version}, this one knows ${known}). Run that version, or restore a backup.`;
    case 'unreleased':
      return 'This version cannot use the database, which is from before the first release: import the catalog into a new one.';
  }
}

function pending(plan: UpgradePlan): string[] {
  const { steps, affected, isServer, databaseBytes, neededBytes, freeBytes } = plan;
  const rows = affected.map(({ name, rows: count, bytes }) => {
    const size = bytes === null ? '' : `, ${shownBytes(bytes)}`;
    return `  ${name}: ${counted(count, 'row')}${size}`;
  });
  const tables =
    rows.length === 0
      ? 'No present table is read or changed as a whole.'
      : `Present tables that are read or changed as a whole:\n${rows.join('\n')}`;
  const free = freeBytes === null ? '' : `; ${shownBytes(freeBytes)} are free`;
  const isTight = freeBytes !== null && freeBytes < neededBytes;
  const space = `Disk: the database has ${shownBytes(databaseBytes)}, and the migration needs up to ${shownBytes(neededBytes)} more${free}.${isTight ? ' Make room first.' : ''}`;
  const backup = isServer
    ? 'Backup: take one with pg_dump or a base backup first (docs/operations.md#postgresql). A dump of the database needs up to its size.'
    : 'Backup: `stave backup FOLDER` with the present version first. It needs the size of the database and of the media.';
  return [steps.map(shownStep).join('\n'), tables, beside(plan), space, backup];
}

function shownStep(step: PendingStep): string {
  const effects = [
    ['new tables', step.creates],
    ['new columns', step.addsColumns],
    ['indexes of', step.indexes],
    ['fills', step.fills],
    ['changes rows of', step.rewrites],
    ['removes', step.removes],
  ] as const;
  const shown = effects.filter(([, names]) => names.length > 0);
  const kind = addsOnly(step) ? 'only adds' : 'changes what exists';
  const lines = shown.map(([what, names]) => `      ${what}: ${names.join(', ')}`);
  return [`  ${step.version}  ${step.summary} (${kind})`, ...lines].join('\n');
}

function beside({ mayRunBeside, isServer, steps, version }: UpgradePlan): string {
  if (mayRunBeside) {
    return 'Nodes of the present version may go on while the nodes are replaced one after the other.';
  }
  return isServer
    ? `Stop all nodes first: the new schema needs programs of schema ${steps.at(-1)!.compatibleFrom} or later, and the present one is ${version}.`
    : 'Stop the service first: programs of the present version refuse the database afterwards.';
}

type UpgradeState =
  /** There is no schema yet; the first start makes it. */
  | 'empty'
  | 'current'
  /** A newer program has migrated it, and this one works with it. */
  | 'newer'
  /** The next start of this program migrates it. */
  | 'pending'
  /** A newer program has migrated it, and this one refuses it. */
  | 'too new'
  /** It is from before the first release, and no step migrates it. */
  | 'unreleased';

interface UpgradePlan extends SchemaInspection {
  state: UpgradeState;
  /** Whether the steps leave all present rows, columns and indexes as they are. */
  onlyAdds: boolean;
  /** Whether nodes of the present version may run beside the new one. */
  mayRunBeside: boolean;
  /** The free space that the migration needs at most; media not included. */
  neededBytes: number;
}

/** What a migration of small tables needs at most. */
const MIN_BYTES = 50_000_000;

function planUpgrade(inspection: SchemaInspection): UpgradePlan {
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

/** Whether a step leaves all present rows, columns and indexes as they are. */
function addsOnly({ rewrites, removes }: PendingStep): boolean {
  return rewrites.length === 0 && removes.length === 0;
}

function stateOf({ version, known, compatibleFrom, isServer }: SchemaInspection): UpgradeState {
  if (version === 0) return 'empty';
  if (version < FIRST_VERSION) return 'unreleased';
  if (version === known) return 'current';
  if (version < known) return 'pending';
  return isServer && compatibleFrom <= known ? 'newer' : 'too new';
}

/** Counts changed rows in full, because the database writes them beside the old ones. */
function neededBytes({ affected, databaseBytes }: SchemaInspection): number {
  const bytes = affected.map((table) => table.bytes ?? databaseBytes);
  const isUnknown = affected.some((table) => table.bytes === null);
  const sum = isUnknown ? Math.max(...bytes) : bytes.reduce((total, one) => total + one, 0);
  return MIN_BYTES + sum;
}

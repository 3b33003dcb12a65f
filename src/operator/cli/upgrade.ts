import type { Command } from 'commander';
import { OperatorError } from '../../common/operator-error.ts';
import { counted } from '../../common/text/counted.ts';
import { shownBytes } from '../../common/text/shown-bytes.ts';
import { SERVICE_VERSION } from '../../common/version.ts';
import type { PendingStep } from '../../engines/sql/schema-inspection.ts';
import { addsOnly, planUpgrade, type UpgradePlan, type UpgradeState } from '../upgrade/plan.ts';
import { command, outputOf, type Shell, waitPolicyOf } from './shell.ts';
import { facts } from './terminal/table.ts';

/** The exit codes for scripts. */
const EXIT_CODES: Readonly<Record<UpgradeState, number>> = {
  empty: 0,
  current: 0,
  newer: 0,
  pending: 3,
  'too new': 4,
  unreleased: 4,
};

/** `stave upgrade --check`. */
export function upgradeCommand(shell: Shell): Command {
  return command('upgrade', 'Show what a start of this version would change in the database', {
    description:
      'Run it with the program of the new version, and the settings of the service, before the service is upgraded. It reads the database and changes nothing; the next start migrates it. ' +
      'Exits with 0 if nothing is to do, 3 if a start would migrate the database, and 4 if this version cannot use it.',
    examples: [
      ['stave upgrade --check', 'steps, tables, disk space, and whether old nodes may go on'],
      ['stave upgrade --check --json', 'for scripts, which also have the exit code'],
    ],
  })
    .option('--check', 'only show; required, because a start of the service migrates')
    .action(async (options: { check?: boolean; json?: boolean }) => {
      if (options.check !== true) {
        throw new OperatorError(
          'give --check: the database is migrated by the next start of the service, not by this command',
        );
      }
      const config = shell.readConfig();
      const { inspectStore, locationOf } = await import('../../app/open/open-store.ts');
      const { silentLog } = await import('../../common/log.ts');
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

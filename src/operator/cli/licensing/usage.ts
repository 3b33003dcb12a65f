import { type Command, Option } from 'commander';
import { MODES, type Mode } from '../../../common/caller.ts';
import { OperatorError } from '../../../common/errors.ts';
import { CSV_MARK, counted } from '../../../common/text/shown.ts';
import type { Store } from '../../../features/store.ts';
import { cueSheetCsv } from '../../../features/usage/cue-sheet.ts';
import { dateOf, dayOf, totalsOf, type UsageCounts } from '../../../features/usage/usage.ts';
import {
  KEPT_DAYS,
  type UsageRange,
  type UsageSource,
  usageCsv,
  usageNdjson,
  usageOfClients,
} from '../../../features/usage/usage-records.ts';
import { clientNames, pastClientIdOf } from '../../named.ts';
import { command, group, outputOf, type Shell, withContext } from '../shell.ts';
import { day, notEmpty } from '../terminal/arguments.ts';
import { printText, withoutControls, writeNewFile } from '../terminal/output.ts';
import { listOf } from '../terminal/table.ts';

export const usageCommand = group('usage', 'Read and purge the reported use of tracks', [
  (shell) =>
    command(shell, 'cue-sheet', 'Print the cue sheet of a production', {
      description:
        'One row of CSV (RFC 4180) for each cue and interested party, or with --json the cue sheet as the API ' +
        'returns it. What a collecting society would refuse is printed as notes.',
      examples: [
        [
          'stave usage cue-sheet --client 3f0e… --production ep-7 > ep-7.csv',
          'what it reported live',
        ],
      ],
    })
      .requiredOption(
        '--client <client>',
        'the client that reported the syncs, by its id or name',
        notEmpty,
      )
      .requiredOption('--production <id>', "the client's id of the production", notEmpty)
      .addOption(modeOption())
      .action(async ({ client, production, mode, ...options }) => {
        const sheet = await withContext(shell, async ({ store }) =>
          store.cueSheets.find({
            clientId: (await pastClientIdOf(store, client))!,
            mode,
            productionId: production,
            now: shell.clock.now(),
          }),
        );
        const output = outputOf(shell, options);
        if (output.json) {
          output.result(sheet, () => '');
          return;
        }
        shell.stdout.write(CSV_MARK + withoutControls(cueSheetCsv(sheet)));
        for (const problem of sheet.problems) output.note(problem);
      }),
  exportUsageCommand,
  summarizeUsageCommand,
  (shell) =>
    command(shell, 'purge', 'Delete the reported use of tracks before a day', {
      description:
        `Deletes the events of all clients and both modes, their sums and ids, and productions without events. Newer ` +
        `events than ${KEPT_DAYS} days need --force. An event that is deleted counts again if it is sent again. ` +
        'Export the events first: they cannot be restored.',
      examples: [['stave usage purge --before 2025-10-01', 'keeps 1 October and later']],
    })
      .requiredOption('--before <day>', 'the first day that is kept, in UTC', day)
      .option('--force', `also delete events of the last ${KEPT_DAYS} days`)
      .action(async ({ before, force = false, ...options }) => {
        const last = dayOf(shell.clock.now()) - KEPT_DAYS;
        if (before > last && !force) {
          throw new OperatorError(
            `--before must not be after ${dateOf(last)}, because usage is kept for ${KEPT_DAYS} days; --force deletes newer usage, too`,
          );
        }
        const purged = await withContext(shell, ({ store }) => store.usageRecords.purge(before));
        const date = dateOf(before);
        outputOf(shell, options).result({ before: date, ...purged }, () => {
          const { events, productions } = purged;
          return `Deleted ${counted(events, 'event')} and ${counted(productions, 'production')} of before ${date}.`;
        });
      }),
]);

interface RangeOptions {
  from: number;
  to: number;
  client?: string;
  mode: Mode;
}

function modeOption(): Option {
  return new Option('--mode <mode>', 'the mode of the reports').choices(MODES).default('live');
}

function withRange(command: Command): Command {
  return command
    .requiredOption('--from <day>', 'the first day, in UTC', day)
    .requiredOption('--to <day>', 'the last day, in UTC', day)
    .option('--client <client>', 'only reports of this client, by its id or name', notEmpty)
    .addOption(modeOption());
}

/** Throws OperatorError if the range ends before it begins. */
function rangeOf({ from, to, mode }: RangeOptions): Omit<UsageRange, 'clientId'> {
  if (from > to) throw new OperatorError('--from must not be after --to');
  return { from, to, mode };
}

/**
 * Returns the range with the client, and the clients that have records in its mode. Throws OperatorError for a client
 * that neither exists nor has ever reported: records outlive their clients.
 */
async function sourcesOf(
  store: Store,
  within: Omit<UsageRange, 'clientId'>,
  client: string | undefined,
): Promise<{ range: UsageRange; sources: readonly UsageSource[] }> {
  const { usageRecords, clients } = store;
  const clientId = await pastClientIdOf(store, client);
  const { mode } = within;
  const range = { ...within, clientId };
  const sources = await usageRecords.sources({ mode, clientId });
  if (clientId === undefined || sources.length > 0) return { range, sources };
  for (const other of MODES) {
    if ((await usageRecords.sources({ mode: other, clientId })).length > 0)
      return { range, sources };
  }
  if ((await clients.get(clientId)) !== undefined) return { range, sources };
  throw new OperatorError(`There is no client ${clientId}, and none has reported under this id.`);
}

interface ExportOptions extends RangeOptions {
  format: 'csv' | 'ndjson';
  out?: string;
  json?: boolean;
}

function exportUsageCommand(shell: Shell): Command {
  const made = command(shell, 'export', 'Export the reported use of tracks', {
    description:
      'CSV (RFC 4180) has one row for each client, day, track, type and country; NDJSON has one line for each ' +
      'event. On stdout, control characters in titles are replaced; a file has them as they are. Events that are ' +
      'reported meanwhile may be left out.',
    examples: [
      ['stave usage export --from 2026-11-01 --to 2026-11-30 --out 2026-11.csv', 'a month as CSV'],
      [
        'stave usage export --from 2026-11-01 --to 2026-11-30 --client 3f0e… --format ndjson',
        'the events of one client',
      ],
    ],
  });
  return withRange(made)
    .addOption(
      new Option('--format <format>', 'the format').choices(['csv', 'ndjson']).default('csv'),
    )
    .option('--out <file>', 'write to this file, which must not exist', notEmpty)
    .action(async (options: ExportOptions) => {
      const { format, out, json } = options;
      const within = rangeOf(options);
      if (json === true && out === undefined) {
        throw new OperatorError('--json needs --out; for events as JSON, use --format ndjson');
      }
      await withContext(shell, async ({ store }) => {
        const { range } = await sourcesOf(store, within, options.client);
        const text = textOf(store, range, format);
        if (out === undefined) await printText(text, shell);
        else await writeNewFile(out, text);
      });
      if (out === undefined) return;
      outputOf(shell, { json: json === true }).result({ file: out, format }, () => `wrote ${out}`);
    });
}

function textOf(
  { usageRecords }: Store,
  range: UsageRange,
  format: ExportOptions['format'],
): AsyncIterable<string> {
  return format === 'csv'
    ? usageCsv(usageRecords.days(range))
    : usageNdjson(usageRecords.events(range));
}

function summarizeUsageCommand(shell: Shell): Command {
  const made = command(shell, 'summary', 'Add up the reported use of each client', {
    hasTable: true,
    description: 'Clients without reports in these days are left out.',
    examples: [
      ['stave usage summary --from 2026-11-01 --to 2026-11-30', 'what all clients reported live'],
      [
        'stave usage summary --from 2026-11-01 --to 2026-11-30 --client 3f0e… --mode test',
        'the tests of one client',
      ],
    ],
  });
  return withRange(made).action(
    async (options: RangeOptions & { json?: boolean; csv?: boolean }) => {
      const within = rangeOf(options);
      const items = await withContext(shell, async ({ store }) => {
        const { range, sources } = await sourcesOf(store, within, options.client);
        const uses = await usageOfClients(store, sources, range);
        const names = await clientNames(store);
        return uses.map(({ clientId, ...counts }) => ({
          ...{ clientId, clientName: names.of(clientId), label: names.label(clientId), ...counts },
        }));
      });
      const totals = totalsOf(items);
      const shown = items.map(({ label: _, ...item }) => item);
      outputOf(shell, options).result({ items: shown, totals }, () => forPeople(items, totals));
    },
  );
}

function forPeople(
  items: readonly (UsageCounts & { label: string })[],
  totals: UsageCounts,
): string {
  const rows = items.length === 0 ? [] : [...items, { label: 'all', ...totals }];
  return listOf(rows, 'nothing was reported', {
    CLIENT: 'label',
    STREAMS: 'streams',
    DOWNLOADS: 'downloads',
    SYNCS: 'syncs',
    SECONDS: 'seconds',
  });
}

import { type Command, Option } from 'commander';
import { OperatorError } from '../../../common/operator-error.ts';
import type { Store } from '../../../features/store.ts';
import { type UsageRange, usageCsv, usageNdjson } from '../../../features/usage/usage-records.ts';
import { command, outputOf, type Shell, withContext } from '../shell.ts';
import { notEmpty } from '../terminal/arguments.ts';
import { printText, writeNewFile } from '../terminal/write-text.ts';
import { type RangeOptions, rangeOf, sourcesOf, withRange } from './usage-range.ts';

interface ExportOptions extends RangeOptions {
  format: 'csv' | 'ndjson';
  out?: string;
  json?: boolean;
}

/** `stave usage export`. */
export function exportUsageCommand(shell: Shell): Command {
  const made = command('export', 'Export the reported use of tracks', {
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
      const range = rangeOf(options);
      if (json === true && out === undefined) {
        throw new OperatorError('--json needs --out; for events as JSON, use --format ndjson');
      }
      await withContext(shell, async ({ store }) => {
        await sourcesOf(store, range);
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

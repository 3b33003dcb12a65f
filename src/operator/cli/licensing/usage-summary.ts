import type { Command } from 'commander';
import { type ClientUsage, usageOfClients } from '../../../features/usage/client-usage.ts';
import { totalsOf, type UsageCounts } from '../../../features/usage/usage-summary.ts';
import { command, outputOf, type Shell, withContext } from '../shell.ts';
import { table } from '../terminal/table.ts';
import { type RangeOptions, rangeOf, sourcesOf, withRange } from './usage-range.ts';

/** `stave usage summary`. */
export function summarizeUsageCommand(shell: Shell): Command {
  const made = command('summary', 'Add up the reported use of each client', {
    description: 'Clients without reports in these days are left out.',
    examples: [
      ['stave usage summary --from 2026-11-01 --to 2026-11-30', 'what all clients reported live'],
      [
        'stave usage summary --from 2026-11-01 --to 2026-11-30 --client 3f0e… --mode test',
        'the tests of one client',
      ],
    ],
  });
  return withRange(made).action(async ({ json, ...options }: RangeOptions & { json?: boolean }) => {
    const range = rangeOf(options);
    const items = await withContext(shell, async ({ store }) => {
      return usageOfClients(store, await sourcesOf(store, range), range);
    });
    const totals = totalsOf(items);
    outputOf(shell, { json: json === true }).result({ items, totals }, () =>
      forPeople(items, totals),
    );
  });
}

function forPeople(items: readonly ClientUsage[], totals: UsageCounts): string {
  if (items.length === 0) return 'nothing was reported';
  return table(
    ['CLIENT', 'STREAMS', 'DOWNLOADS', 'SYNCS', 'SECONDS'],
    [...items, { clientId: 'all', ...totals }].map(
      ({ clientId, streams, downloads, syncs, seconds }) => [
        clientId,
        ...[streams, downloads, syncs, seconds].map(String),
      ],
    ),
  );
}

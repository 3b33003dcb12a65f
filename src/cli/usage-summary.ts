import type { Command } from 'commander';
import { totalsOf, type UsageCounts } from '../licensing/usage-summary.ts';
import type { Store } from '../storage/store.ts';
import { command, outputOf, type Shell, withContext } from './shell.ts';
import { table } from './table.ts';
import { type RangeOptions, rangeOf, sourcesOf, withRange } from './usage-range.ts';

interface ClientCounts extends UsageCounts {
  clientId: string;
}

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
      const counts: ClientCounts[] = [];
      for (const { clientId, firstDay, lastDay } of await sourcesOf(store, range)) {
        const from = Math.max(range.from, firstDay);
        const to = Math.min(range.to, lastDay);
        if (from <= to) counts.push(await countsOf(store, { ...range, clientId, from, to }));
      }
      return counts.filter(({ streams, downloads, syncs }) => streams + downloads + syncs > 0);
    });
    const totals = totalsOf(items);
    outputOf(shell, { json: json === true }).result({ items, totals }, () =>
      forPeople(items, totals),
    );
  });
}

async function countsOf(
  { usage }: Store,
  query: Omit<Parameters<Store['usage']['summary']>[0], 'groupBy'>,
): Promise<ClientCounts> {
  const { totals } = await usage.summary({ ...query, groupBy: 'type' });
  return { clientId: query.clientId, ...totals };
}

function forPeople(items: readonly ClientCounts[], totals: UsageCounts): string {
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

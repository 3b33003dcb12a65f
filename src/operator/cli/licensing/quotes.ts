import type { Command } from 'commander';
import { shownQuote } from '../../../features/licensing/quote.ts';
import { shownAmount } from '../../../features/licensing/shown-amount.ts';
import { command, group, outputOf, type Shell, withContext } from '../shell.ts';
import { notEmpty, shownTime, wholeNumber } from '../terminal/arguments.ts';
import { table } from '../terminal/table.ts';

/** The quotes that are shown unless more are requested. */
const SHOWN = 100;

/** `stave quotes list`. */
export function quotesCommand(shell: Shell): Command {
  return group('quotes', 'Show what clients were quoted', [
    command('list', 'List the latest quotes, newest first', {
      examples: [['stave quotes list --client 0b6c…', 'those of one client, in both modes']],
    })
      .option('-c, --client <id>', 'id of a client; default: all clients', notEmpty)
      .option('--limit <number>', 'how many', wholeNumber(1, 10_000), SHOWN)
      .action(async (options: { client?: string; limit: number; json?: boolean }) => {
        const quotes = await withContext(shell, ({ store }) =>
          store.quotes.latest(options.limit, { clientId: options.client?.toLowerCase() }),
        );
        const shown = quotes.map(({ clientId, mode, ...quote }) => ({
          ...shownQuote({ clientId, mode, ...quote }, shell.clock.now()),
          ...{ clientId, mode },
        }));
        outputOf(shell, options).result(shown, () =>
          shown.length === 0
            ? 'no quotes'
            : table(
                ['ID', 'CLIENT', 'MODE', 'STATE', 'TRACKS', 'PRICE', 'CREATED', 'PROJECT'],
                shown.map((quote) => [
                  quote.id,
                  quote.clientId,
                  quote.mode,
                  quote.licenseNumber ?? quote.status,
                  String(quote.items.length),
                  `${shownAmount(quote.amountMinor, quote.minorUnit)} ${quote.currency}`,
                  shownTime(Date.parse(quote.createdAt)),
                  quote.project.name,
                ]),
              ),
        );
      }),
  ]);
}

import type { Command } from 'commander';
import { OperatorError } from '../../../common/operator-error.ts';
import { counted } from '../../../common/text/counted.ts';
import { dayOf } from '../../../features/usage/usage.ts';
import { KEPT_DAYS } from '../../../features/usage/usage-records.ts';
import { dateOf } from '../../../features/usage/usage-summary.ts';
import { command, outputOf, type Shell, withContext } from '../shell.ts';
import { day } from '../terminal/arguments.ts';

/** `stave usage purge`. */
export function purgeUsageCommand(shell: Shell): Command {
  return command('purge', 'Delete the reported use of tracks before a day', {
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
    });
}

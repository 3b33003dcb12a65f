import type { Command } from 'commander';
import { printableLine } from '../../../common/text/printable.ts';
import { shownSavedSearch } from '../../../features/saved-searches/saved-search.ts';
import { command, group, outputOf, type Shell, withContext } from '../shell.ts';
import { shownTime } from '../terminal/arguments.ts';
import { table } from '../terminal/table.ts';

/** `stave saved-searches …`: the searches that clients keep. */
export function savedSearchesCommand(shell: Shell): Command {
  return group('saved-searches', 'Show the searches that clients keep', [list(shell)]);
}

function list(shell: Shell): Command {
  return command('list', 'List the saved searches of a client, newest first', {
    description: 'Without the numbers of tracks, which the index of the service counts.',
    examples: [['stave saved-searches list --client 0b6c…', 'in both modes']],
  })
    .requiredOption('-c, --client <id>', 'id of the client')
    .action(async (options) => {
      const records = await withContext(shell, ({ store }) =>
        store.savedSearches.ofClient(options.client),
      );
      const shown = records.map((record) => ({ ...shownSavedSearch(record), mode: record.mode }));
      outputOf(shell, options).result(shown, () =>
        records.length === 0
          ? 'no saved searches'
          : table(
              ['ID', 'NAME', 'MODE', 'NOTIFY', 'SEEN', 'UPDATED', 'SEARCH'],
              records.map((record) => [
                record.id,
                printableLine(record.name),
                record.mode,
                record.notify ? 'yes' : 'no',
                shownTime(record.seenAt),
                shownTime(record.updatedAt),
                printableLine(record.query),
              ]),
            ),
      );
    });
}

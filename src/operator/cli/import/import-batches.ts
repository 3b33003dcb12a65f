import type { Command } from 'commander';
import { LOG_DAYS } from '../../../engines/change-log/log-expiry.ts';
import type { Batch } from '../../../features/catalog/batches.ts';
import { command, outputOf, type Shell, withContext } from '../shell.ts';
import { isoTime, shownTime, wholeNumber } from '../terminal/arguments.ts';
import { table } from '../terminal/table.ts';

/**
 * The exit codes of an undo that reverted every track, and of one that left some unchanged. The latter is
 * also the exit code of rejected records.
 */
const EXIT_COMPLETE = 0;
const EXIT_SKIPPED = 2;
/** Further tracks are not printed, because a newer import of the same files affects all of them. */
const MAX_PRINTED = 100;

/** `stave import list`: the imports that can be undone, newest first. */
export function listBatchesCommand(shell: Shell): Command {
  return command('list', 'Show the imports that changed something, newest first', {
    description: `An import can be undone for ${LOG_DAYS} days. To import a file named list, write ./list.`,
    examples: [
      ['stave import list', 'what each did, and the BATCH that `import undo` takes'],
      ['stave import list --json', '`undoneBy`, `undoes`: the undo of an import, and its import'],
    ],
  })
    .option('-l, --limit <n>', 'how many', wholeNumber(1, 10_000), 50)
    .action(async (options) => {
      const batches = await withContext(shell, ({ store }) => store.batches.latest(options.limit));
      outputOf(shell, options).result(batches.map(forScripts), () =>
        batches.length === 0 ? 'no import has changed anything yet' : forPeople(batches),
      );
    });
}

/** `stave import undo BATCH`. */
export function undoCommand(shell: Shell): Command {
  return command('undo', 'Take back what one import did', {
    description:
      'Tracks that it created are withdrawn, those that it updated get their former content back, ' +
      'those that it withdrew become live. A track that another import has changed since stays as it is, ' +
      'and the command then exits with 2: undo the newest import first. A later import that listed a ' +
      'track unchanged does not protect it: import those files again. A track that was taken down ' +
      `stays down. An import can be undone for ${LOG_DAYS} days. To import a file named undo, write ./undo.`,
    examples: [
      ['stave import undo 0199f1c2-7b1e-7c3a-9d2e-3f4a5b6c7d8e --dry-run', 'what it would do'],
      ['stave import undo 0199f1c2-7b1e-7c3a-9d2e-3f4a5b6c7d8e', '`import list` names the batch'],
    ],
  })
    .argument('<batch>', 'the id of the import')
    .option('--dry-run', 'report what the undo would do')
    .action(async (id: string, { dryRun = false, ...options }) => {
      const output = outputOf(shell, options);
      const summary = await withContext(shell, ({ store, by }) =>
        store.batches.undo(id.toLowerCase(), {
          by,
          dryRun,
          onSkipped: skippedNotes((text) => output.note(text)),
        }),
      );
      const { withdrawn, updated, restored, skipped } = summary;
      output.result(summary, () => {
        const what = dryRun ? 'Dry run: undone' : 'Undone';
        return `${what}: ${withdrawn} withdrawn, ${updated} as they were before, ${restored} live again, ${skipped} left as they are.`;
      });
      shell.exitCode = skipped > 0 ? EXIT_SKIPPED : EXIT_COMPLETE;
    });
}

function skippedNotes(note: (text: string) => void): (slug: string) => void {
  let count = 0;
  return (slug) => {
    count++;
    if (count <= MAX_PRINTED) note(`${slug} is left as it is: another import changed it since`);
    if (count === MAX_PRINTED + 1) note('… and more');
  };
}

function forScripts({ at, ...batch }: Batch): object {
  return { ...batch, at: isoTime(at) };
}

function forPeople(batches: readonly Batch[]): string {
  return table(
    ['BATCH', 'KIND', 'WHEN', 'BY', 'CREATED', 'UPDATED', 'WITHDRAWN', 'RESTORED', 'WHAT'],
    batches.map((batch) => [
      batch.id,
      kindOf(batch),
      shownTime(batch.at),
      batch.by,
      String(batch.created),
      String(batch.updated),
      String(batch.withdrawn),
      String(batch.restored),
      batch.label,
    ]),
  );
}

function kindOf({ undoes, undoneBy }: Batch): string {
  if (undoes !== null) {
    return 'undo';
  }
  return undoneBy === null ? 'import' : 'import, undone';
}

import { type Command, Option } from 'commander';
import { TRACK_TYPES } from '../catalog/track-fields.ts';
import { notEmpty, wholeNumber } from './arguments.ts';
import { listBatchesCommand, undoCommand } from './import-batches.ts';
import { command, outputOf, type Shell, withContext } from './shell.ts';

/** `stave import PATH…`, with the subcommands `list` and `undo`. */
export function importCommand(shell: Shell): Command {
  return command('import', 'Import tracks into the catalog', {
    description:
      'Reads NDJSON, JSON or CSV files, .gz of each, or folders of tagged audio. Tracks are identified by ' +
      'their id, or by their source and externalId: importing a file twice changes nothing. After a ' +
      'kill, run the import again; `stave import undo` reverts one. An invalid record is rejected with its line, field and reason, ' +
      'and the others are imported; the command then exits with 2.',
    examples: [
      ['stave import catalog.ndjson.gz', 'one file, or several'],
      ['stave import albums/ --type music', 'a folder of MP3, FLAC, Ogg, Opus, M4A, WAV, AIFF'],
      [
        'stave import delivery.csv --map supplier.json --dry-run',
        "with a mapping of the supplier's names, without writing",
      ],
      [
        'stave import full.ndjson --source acme --prune',
        'withdraws tracks that Acme no longer lists',
      ],
      [
        'stave import catalog.json --json',
        '{"read", "created", "updated", "unchanged", "rejected"}',
      ],
    ],
  })
    .argument('<path...>', 'files and folders')
    .option(
      '-s, --source <name>',
      'source of the tracks; by default the name of the mapping',
      notEmpty,
    )
    .option(
      '-m, --map <file>',
      "a mapping from the supplier's names to Stave's record (JSON), or the name of a shipped one",
      notEmpty,
    )
    .addOption(
      new Option('-t, --type <type>', 'type of tracks whose record has none').choices([
        ...TRACK_TYPES,
      ]),
    )
    .option('--strict', 'check everything first, and import nothing if a record is rejected')
    .option('--dry-run', 'report what the import would do')
    .option(
      '--prune',
      'withdraw tracks that a full delivery of --source no longer lists; a later delivery makes them live again',
    )
    .option(
      '--prune-limit <n>',
      'how many tracks --prune may withdraw; by default a fifth of the source',
      wholeNumber(0, 1e15 - 1),
    )
    .option('--rejects <file>', 'write every rejection to this file, as NDJSON', notEmpty)
    .action(async (paths: string[], { json, ...options }) => {
      // A service on the same machine responds first. Without one, this changes nothing.
      shell.lowerPriority();
      const { importTracks } = await import('./import.ts');
      shell.exitCode = await withContext(shell, (context) =>
        importTracks(paths, options, context, outputOf(shell, { json })),
      );
    })
    .addCommand(listBatchesCommand(shell))
    .addCommand(undoCommand(shell));
}

import { type Command, Option } from 'commander';
import { OperatorError } from '../../../common/operator-error.ts';
import type { TrackType } from '../../../features/catalog/track.ts';
import { TRACK_TYPES } from '../../../features/catalog/track-fields.ts';
import { command, outputOf, type Shell, withContext } from '../shell.ts';
import { notEmpty, wholeNumber } from '../terminal/arguments.ts';
import { listBatchesCommand, undoCommand } from './import-batches.ts';

const HELP: Parameters<typeof command>[2] = {
  description:
    'Reads NDJSON, JSON or CSV files, .gz of each, .xlsx, messages of DDEX ERN 3.8 and 4.1 to 4.3, or folders of them or of ' +
    'tagged audio. Tracks are identified by ' +
    'their id, or by their source and externalId: importing a file twice changes nothing. After a ' +
    'kill, run the import again; `stave import undo` reverts one. An invalid record is rejected with its line, field and reason, ' +
    'and the others are imported; the command then exits with 2.',
  examples: [
    ['stave import catalog.ndjson.gz more.xlsx', 'one file, or several'],
    ['stave import albums/ --type music', 'a folder of MP3, FLAC, Ogg, Opus, M4A, WAV, AIFF'],
    ['stave import delivery/', 'a folder of releases as DDEX messages, with their audio'],
    [
      'stave import delivery.csv --map supplier.json --dry-run',
      "with a mapping of the supplier's names, without writing",
    ],
    ['stave import delivery.csv --explain', 'how the file is read, and its first tracks'],
    [
      'stave import delivery.csv --suggest-map > supplier.json',
      "a first mapping of the supplier's names, to edit",
    ],
    [
      'stave import full.ndjson --source acme --prune',
      'withdraws tracks that Acme no longer lists',
    ],
    ['stave import catalog.json --json', '{"read", "created", "updated", "unchanged", "rejected"}'],
  ],
};

/** Options of an import, which make no sense without one. */
const WRITING = ['strict', 'dryRun', 'prune', 'pruneLimit', 'rejects'];

const EXPLAIN = new Option(
  '--explain',
  'say how one file is read, and show its first tracks; imports nothing',
).conflicts([...WRITING, 'suggestMap']);

const SUGGEST_MAP = new Option(
  '--suggest-map',
  'write a first mapping (JSON) for one file of unknown names; imports nothing',
).conflicts([...WRITING, 'map', 'source']);

/** `stave import PATH…`, with the subcommands `list` and `undo`. */
export function importCommand(shell: Shell): Command {
  return command('import', 'Import tracks into the catalog', HELP)
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
    .addOption(EXPLAIN)
    .addOption(SUGGEST_MAP)
    .action(async (paths: string[], { json, explain, suggestMap, ...options }) => {
      if (explain || suggestMap) {
        await explainOrSuggest(shell, paths, { json, suggestMap, ...options });
        return;
      }
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

/** `--explain` and `--suggest-map`, which need no catalog. */
async function explainOrSuggest(
  shell: Shell,
  paths: readonly string[],
  options: {
    json?: boolean;
    suggestMap?: boolean;
    source?: string;
    map?: string;
    type?: TrackType;
  },
): Promise<void> {
  const [path] = paths;
  if (path === undefined || paths.length > 1) {
    const option = options.suggestMap ? '--suggest-map' : '--explain';
    throw new OperatorError(`${option} reads one file at a time: name one`);
  }
  const output = outputOf(shell, options);
  const { explainFile, suggestMapping } = await import('./import-explain.ts');
  if (options.suggestMap) {
    await suggestMapping({ path, type: options.type }, output);
    return;
  }
  const { source, map, type } = options;
  await explainFile({ path, source, mapFile: map, type, clock: shell.clock }, output);
}

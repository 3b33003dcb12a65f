import { type Command, Option } from 'commander';
import { OperatorError } from '../../../common/errors.ts';
import { counted } from '../../../common/text/shown.ts';
import { LOG_DAYS } from '../../../engines/change-log/positions.ts';
import type { Batch } from '../../../features/catalog/batches.ts';
import { TRACK_TYPES } from '../../../features/catalog/track-values.ts';
import { TAG_ENCODINGS } from '../../../features/import/audio/tag-encodings.ts';
import { command, group, outputOf, type Shell, withContext } from '../shell.ts';
import { notEmpty, shownTime, wholeNumber, withIsoTimes } from '../terminal/arguments.ts';
import { listOf } from '../terminal/table.ts';
import type { ImportCommandOptions } from './import.ts';

const HELP: Parameters<typeof command>[3] = {
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

/** The options that make sense only with an import. */
const WRITING = ['strict', 'dryRun', 'prune', 'pruneLimit', 'rejects'];

const EXPLAIN = new Option(
  '--explain',
  'say how one file is read, and show its first tracks; imports nothing',
).conflicts([...WRITING, 'suggestMap']);

const SUGGEST_MAP = new Option(
  '--suggest-map',
  'write a first mapping (JSON) for one file of unknown names; imports nothing',
).conflicts([...WRITING, 'map', 'source']);

export function importCommand(shell: Shell): Command {
  return command(shell, 'import', 'Import tracks into the catalog', HELP)
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
    .option(
      '--strict-files',
      'reject a record if any file that it names is missing; by default only a track without audio',
    )
    .addOption(
      new Option(
        '--tag-encoding <name>',
        'encoding of ID3 tags that claim to be Latin-1; by default it is recognized',
      ).choices([...TAG_ENCODINGS]),
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

/** Needs no catalog. */
async function explainOrSuggest(
  shell: Shell,
  paths: readonly string[],
  options: ImportCommandOptions & { json?: boolean; suggestMap?: boolean },
): Promise<void> {
  const [path] = paths;
  if (path === undefined || paths.length > 1) {
    const option = options.suggestMap ? '--suggest-map' : '--explain';
    throw new OperatorError(`${option} reads one file at a time: name one`);
  }
  const output = outputOf(shell, options);
  const { explainFile, suggestMapping } = await import('./import.ts');
  if (options.suggestMap) {
    await suggestMapping({ path, type: options.type }, output);
    return;
  }
  const { source, map, type, tagEncoding } = options;
  const { clock } = shell;
  await explainFile({ path, source, mapFile: map, type, tagEncoding, clock }, output);
}

/** The exit code of an undo that left some tracks as they are, and of rejected records. */
const EXIT_SKIPPED = 2;
/** Further tracks are not printed, because a newer import of the same files affects all of them. */
const MAX_PRINTED = 100;

function listBatchesCommand(shell: Shell): Command {
  return command(shell, 'list', 'Show the imports that changed something, newest first', {
    hasTable: true,
    description: `An import can be undone for ${LOG_DAYS} days; then its KIND says that it has expired. To import a file named list, write ./list.`,
    examples: [
      ['stave import list', 'what each did, and the BATCH that `import undo` takes'],
      ['stave import list --json', '`undoneBy`, `undoes`: the undo of an import, and its import'],
    ],
  })
    .option('-l, --limit <n>', 'how many', wholeNumber(1, 10_000), 50)
    .prints(
      ({ store }, { limit }: { limit: number }) => store.batches.latest(limit),
      (batches) =>
        listOf(batches, 'no import has changed anything yet', {
          BATCH: 'id',
          KIND: kindOf,
          WHEN: ({ at }) => shownTime(at),
          BY: 'by',
          CREATED: 'created',
          UPDATED: 'updated',
          WITHDRAWN: 'withdrawn',
          RESTORED: 'restored',
          WHAT: 'label',
        }),
      (batches) => batches.map(({ at, ...batch }) => withIsoTimes({ ...batch, at })),
    );
}

function undoCommand(shell: Shell): Command {
  return command(shell, 'undo', 'Take back what one import did', {
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
        if (withdrawn + updated + restored + skipped === 0) return 'nothing is left to undo';
        const what = dryRun ? 'Dry run: undone' : 'Undone';
        return `${what}: ${withdrawn} withdrawn, ${updated} as they were before, ${restored} live again, ${skipped} left as they are.`;
      });
      shell.exitCode = skipped > 0 ? EXIT_SKIPPED : 0;
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

function kindOf({ undoes, undoneBy, expired }: Batch): string {
  if (undoes !== null) return 'undo';
  if (undoneBy !== null) return 'import, undone';
  return expired ? 'import, expired' : 'import';
}

export const demoCommand = group('demo', 'Remove the demo catalog', [
  (shell) =>
    command(shell, 'remove', 'Remove the demo catalog, its clients and its media completely', {
      description:
        'Its rate card is withdrawn. Your own imports, playlists and clients stay. No later start loads the demo again.',
      examples: [['stave demo remove', 'before the first real import, or after it']],
    }).prints(
      async (context) => {
        const { removeDemo } = await import('../../../features/demo/remove.ts');
        return removeDemo(context);
      },
      ({ tracks, playlists, clients, mediaFiles }) =>
        tracks + playlists + clients + mediaFiles === 0
          ? 'there was no demo to remove; no later start loads it'
          : `removed ${counted(tracks, 'track')}, ${counted(playlists, 'playlist')}, ${counted(clients, 'client')} and ${counted(mediaFiles, 'media file')} of the demo`,
    ),
]);

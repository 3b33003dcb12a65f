import { type Command, Option } from 'commander';
import { TRACK_TYPES } from '../catalog/track.ts';
import { command, inHouse, outputOf, type Shell } from './shell.ts';

/** `stave import PATH…`. */
export function importCommand(shell: Shell): Command {
  return command('import', 'Read tracks into the catalog', {
    description:
      'From NDJSON, JSON or CSV files, .gz of each, or folders of tagged audio. Tracks are known by ' +
      'their id, or by their source and externalId: reading a file twice changes nothing, and a ' +
      'killed import is simply repeated. A bad record is rejected with its line, field and reason ' +
      'and the others go in; the command then exits with 2.',
    examples: [
      ['stave import catalog.ndjson.gz', 'one file; several are fine'],
      ['stave import albums/ --type music', 'a folder of MP3, FLAC, Ogg, Opus, M4A, WAV, AIFF'],
      [
        'stave import delivery.csv --map supplier.json --dry-run',
        "a supplier's own names, looked at first",
      ],
      ['stave import full.ndjson --source acme --prune', 'takes down what Acme no longer lists'],
      [
        'stave import catalog.json --json',
        '{"read", "created", "updated", "unchanged", "rejected"}',
      ],
    ],
  })
    .argument('<path...>', 'files and folders')
    .option('-s, --source <name>', 'whose tracks they are; by default the name of the mapping')
    .option(
      '-m, --map <file>',
      "a mapping from the supplier's names to Stave's record (JSON), or the name of a shipped one",
    )
    .addOption(
      new Option('-t, --type <type>', 'type of tracks that do not say it themselves').choices([
        ...TRACK_TYPES,
      ]),
    )
    .option('--strict', 'check everything first, and take nothing in when anything is rejected')
    .option('--dry-run', 'only report what would happen')
    .option('--prune', 'take down what a full delivery of this source no longer lists')
    .option('--rejects <file>', 'write every rejection to this file, as NDJSON')
    .action(async (paths: string[], { json, ...options }) => {
      const { importTracks } = await import('./import.ts');
      shell.exitCode = await inHouse(shell, (house) =>
        importTracks(paths, options, house, outputOf(shell, { json })),
      );
    });
}

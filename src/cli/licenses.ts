import type { Command } from 'commander';
import { command, group, inHouse, outputOf, type Shell } from './shell.ts';

/** `stave licenses import PATH`. */
export function licensesCommand(shell: Shell): Command {
  return group('licenses', 'Tell Stave which tracks were licensed', [
    command('import', 'Read licences that were sold, so that popularity has an answer', {
      description:
        'One JSON object a line: {"externalId", "track", "mode", "licensedAt", "client"?}; `track` ' +
        'is a slug or an id. A licence read before, by its externalId, is corrected or left as it ' +
        'is. Exits with 2 when a record was rejected.',
      examples: [['stave licenses import sold-2026-11.ndjson', 'repeat it as often as you like']],
    })
      .argument('<path...>', 'NDJSON, JSON or CSV, or .gz of each')
      .option('--rejects <file>', 'write every rejection to this file, as NDJSON')
      .action(async (paths: string[], { json, ...options }) => {
        const { importLicences } = await import('./import.ts');
        shell.exitCode = await inHouse(shell, (house) =>
          importLicences(paths, house, outputOf(shell, { json }), options),
        );
      }),
  ]);
}

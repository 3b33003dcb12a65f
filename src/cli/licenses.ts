import type { Command } from 'commander';
import { notEmpty } from './arguments.ts';
import { command, group, outputOf, type Shell, withContext } from './shell.ts';

/** `stave licenses import PATH`. */
export function licensesCommand(shell: Shell): Command {
  return group('licenses', 'Import which tracks were licensed', [
    command('import', 'Import sold licenses, which determine popularity', {
      description:
        'One JSON object per line: {"externalId", "track", "mode", "licensedAt", "client"?}; `track` ' +
        'is a slug or an id. A license whose externalId exists is corrected or stays as it ' +
        'is. Exits with 2 if a record was rejected.',
      examples: [['stave licenses import sold-2026-11.ndjson', 'repeating it changes nothing']],
    })
      .argument('<path...>', 'NDJSON, JSON or CSV, or .gz of each')
      .option('--rejects <file>', 'write every rejection to this file, as NDJSON', notEmpty)
      .action(async (paths: string[], { json, ...options }) => {
        const { importLicenses } = await import('./import.ts');
        shell.exitCode = await withContext(shell, (context) =>
          importLicenses(paths, context, outputOf(shell, { json }), options),
        );
      }),
  ]);
}

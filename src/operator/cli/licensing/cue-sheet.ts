import { type Command, Option } from 'commander';
import { MODES } from '../../../common/caller/scopes.ts';
import { cueSheetCsv } from '../../../features/usage/cue-sheet.ts';
import { command, outputOf, type Shell, withContext } from '../shell.ts';
import { notEmpty } from '../terminal/arguments.ts';
import { withoutControls } from '../terminal/output.ts';

/** `stave usage cue-sheet`. */
export function cueSheetCommand(shell: Shell): Command {
  return command('cue-sheet', 'Print the cue sheet of a production', {
    description:
      'One row of CSV (RFC 4180) for each cue and interested party, or with --json the cue sheet as the API ' +
      'returns it. What a collecting society would refuse is printed as notes.',
    examples: [
      [
        'stave usage cue-sheet --client 3f0e… --production ep-7 > ep-7.csv',
        'what it reported live',
      ],
    ],
  })
    .requiredOption('--client <id>', 'the client that reported the syncs', notEmpty)
    .requiredOption('--production <id>', "the client's id of the production", notEmpty)
    .addOption(
      new Option('--mode <mode>', 'the mode of the reports').choices(MODES).default('live'),
    )
    .action(async ({ client, production, mode, ...options }) => {
      const sheet = await withContext(shell, ({ store }) =>
        store.cueSheets.find({
          clientId: client,
          mode,
          productionId: production,
          now: shell.clock.now(),
        }),
      );
      const output = outputOf(shell, options);
      if (output.json) {
        output.result(sheet, () => '');
        return;
      }
      shell.stdout.write(withoutControls(cueSheetCsv(sheet)));
      for (const problem of sheet.problems) output.note(problem);
    });
}

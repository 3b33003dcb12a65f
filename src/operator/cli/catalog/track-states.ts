import type { Command } from 'commander';
import type { ChosenState, TrackState } from '../../../features/availability/availability.ts';
import {
  changeStates,
  MAX_REASON,
  MAX_REFERENCE,
  type StateResult,
  type TrackOutcome,
} from '../../../features/takedown/change-states.ts';
import { command, type Example, outputOf, type Shell, withContext } from '../shell.ts';
import { atMost, commaList, notEmpty } from '../terminal/arguments.ts';
import { askToGoOn } from '../terminal/ask.ts';
import { type ChoiceOptions, chosenTracks } from './chosen-tracks.ts';
import {
  holdersForPeople,
  holdersForScripts,
  twinsForPeople,
  twinsForScripts,
} from './track-report.ts';

/** For people. */
export const STATE_WORDS: Readonly<Record<TrackState, string>> = {
  live: 'live',
  taken_down: 'taken down',
  withdrawn: 'withdrawn (a delivery or `restore` makes it live again)',
  unavailable: 'unavailable (outside of its periods of availability)',
};

/** The command asks before it changes more tracks. */
const ASKS_ABOVE = 100;
const MAX_PRINTED = 20;
const MAX_TWINS = 1_000;

interface Options extends ChoiceOptions {
  reason?: string;
  reference?: string;
  alsoLicensed?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  json?: boolean;
}

export const stateCommands: readonly ((shell: Shell) => Command)[] = [
  (shell) =>
    setStates(shell, 'takedown', 'taken_down', 'Remove tracks from the API at once', [
      ['stave tracks takedown night-drive', 'lists, search and its URLs omit it within a second'],
      [
        'stave tracks takedown --isrc DEA120000001 --reason "claim of the author" --reference 2026-118',
        'the reason is kept in the log',
      ],
      [
        'stave tracks takedown --file claimed.csv --dry-run',
        'shows who holds the tracks of a list',
      ],
      ['stave tracks takedown --source label-a --yes', 'all tracks of a source, without asking'],
      [
        'stave tracks takedown night-drive --also-licensed',
        'those with a license no longer get its audio, either',
      ],
    ]),
  (shell) =>
    setStates(shell, 'restore', 'live', 'Make taken-down or withdrawn tracks live again', [
      ['stave tracks restore night-drive', 'it returns to its places in playlists'],
      ['stave tracks restore --source label-a', 'those that were taken down'],
    ]),
];

function setStates(
  shell: Shell,
  name: string,
  state: ChosenState,
  summary: string,
  examples: readonly Example[],
): Command {
  const bulk =
    state === 'live' ? ' With --source or --batch, withdrawn tracks stay as they are.' : '';
  const made = command(shell, name, summary, {
    hasTable: true,
    description:
      'Prints the playlists and collections that contain one of the tracks, the clients that see these ' +
      'playlists, and the licenses of the tracks, which stay valid and deliver its audio unless --also-licensed is given. A takedown prints the other tracks that seem to be the same recordings, too. If a name is not found, nothing changes. ' +
      `A command that was killed can be repeated.${bulk}`,
    examples,
  })
    .argument('[names...]', 'slugs, ids or ISRCs of the tracks')
    .option('--isrc <codes>', 'all tracks with one of these ISRCs, separated by commas', commaList)
    .option('--source <name>', 'all tracks of a source', notEmpty)
    .option('--batch <id>', 'all tracks that an import created or changed', notEmpty)
    .option(
      '--file <path>',
      'a slug, an id or an ISRC in each line, or CSV with such a column; - reads standard input',
      notEmpty,
    )
    .option('--reason <text>', 'why; kept in the log', atMost(MAX_REASON))
    .option(
      '--reference <text>',
      'such as the number of a letter; kept in the log',
      atMost(MAX_REFERENCE),
    )
    .option('--dry-run', 'change nothing, and print what would change')
    .option('--yes', `do not ask before more than ${ASKS_ABOVE} tracks change`)
    .action(async (names: string[], options: Options) => {
      const output = outputOf(shell, options);
      const result = await withContext(shell, async (context) => {
        const { trackFinder } = context.store;
        const by = { names, options, stdin: shell.stdin, output };
        const rowIds = await chosenTracks(trackFinder, by);
        const { reason = null, reference = null, dryRun = false, alsoLicensed = false } = options;
        const isBulk = options.source !== undefined || options.batch !== undefined;
        const changed = await changeStates(context, rowIds, {
          ...{ state, reason, reference, dryRun, isBulk, alsoLicensed },
          confirm: (count) => confirm(shell, { state, count, isAnswered: options.yes === true }),
        });
        const others = state === 'live' ? undefined : await trackFinder.twinsOf(rowIds, MAX_TWINS);
        return { ...changed, ...others };
      });
      output.result(
        {
          ...(result.selectedCount === 1 && result.tracks[0]),
          ...result,
          ...holdersForScripts(result, shell.clock.now()),
          ...(result.twins && { twins: twinsForScripts(result.twins) }),
        },
        () => [forPeople(result, shell.clock.now()), ...twinsForPeople(result)].join('\n'),
      );
    });
  if (state === 'live') return made;
  return made.option(
    '--also-licensed',
    'end the downloads of licenses of the tracks, too, until they are restored',
  );
}

async function confirm(
  shell: Shell,
  { state, count, isAnswered }: { state: ChosenState; count: number; isAnswered: boolean },
): Promise<void> {
  if (isAnswered || count <= ASKS_ABOVE) return;
  const tracks = `${count} tracks`;
  const found = state === 'live' ? `this makes ${tracks} live` : `this takes ${tracks} down`;
  await askToGoOn(shell, { found, question: 'Go on?', option: '--yes' });
}

function forPeople(result: StateResult, now: number): string {
  const { dryRun, selectedCount: count, tracks, withdrawnCount } = result;
  const isShort = count > 0 && count <= MAX_PRINTED && withdrawnCount === 0;
  const lines = isShort ? tracks.map((track) => trackLine(track, result)) : countLines(result);
  if (dryRun) lines.unshift('Dry run: nothing is changed.');
  if (!dryRun && result.changedCount === 0 && (result.reason ?? result.reference) !== null) {
    lines.push('Nothing changed, so the log does not keep the reason and the reference.');
  }
  return [...lines, ...holdersForPeople(result, now)].join('\n');
}

function trackLine({ slug, changed, state }: TrackOutcome, result: StateResult): string {
  const word = STATE_WORDS[state];
  if (changed) return `${slug} ${result.dryRun ? 'would be' : 'is'} ${word}`;
  return state === result.state ? `${slug} was ${word} already` : `${slug} stays ${word}`;
}

function countLines({ state, dryRun, ...counts }: StateResult): string[] {
  const { changedCount, unchangedCount, withdrawnCount, unavailableCount } = counts;
  const word = STATE_WORDS[state];
  const lines = [`${changedCount} tracks ${dryRun ? 'would be' : 'are'} ${word}`];
  if (unchangedCount > 0) lines.push(`${unchangedCount} were ${word} already`);
  if (withdrawnCount > 0) lines.push(`${withdrawnCount} stay withdrawn by their source`);
  if (unavailableCount > 0) {
    lines.push(`${unavailableCount} are outside of their periods of availability`);
  }
  return lines;
}

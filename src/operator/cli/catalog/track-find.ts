import { type Command, Option } from 'commander';
import type { TrackState } from '../../../features/availability/track-state.ts';
import { findTracks, TRACK_STATES } from '../../../features/takedown/find-tracks.ts';
import type { FoundTrack } from '../../../features/takedown/track-finder.ts';
import { requireSource } from '../import/sources.ts';
import { command, outputOf, type Shell, withContext } from '../shell.ts';
import { notEmpty, wholeNumber } from '../terminal/arguments.ts';
import { fittedTable } from '../terminal/fitted-table.ts';

/** The tracks that are shown unless more are requested. */
const SHOWN = 50;

/** The options of `stave tracks find`. */
interface Options {
  source?: string;
  state?: TrackState;
  limit: number;
  json?: boolean;
}

/** `stave tracks find`. */
export function findCommand(shell: Shell): Command {
  return command('find', 'Find tracks of any state', {
    description:
      'Each word of the text must begin a word of the name, an artist, the slug, the id, the external id or the ISRC, ' +
      'whatever the case and the accents. A track with exactly this slug, id or ISRC comes first. It reads the ' +
      'database, and needs some seconds for a million tracks unless it finds enough of them before.',
    examples: [
      ['stave tracks find "mara lindt night"', 'by words of the artist and the name'],
      ['stave tracks find DE-A12-00-00001', 'by ISRC; DEA12 finds those of a registrant'],
      ['stave tracks find night --state taken_down --source label-a --limit 500', 'fewer tracks'],
    ],
  })
    .argument('<text...>', 'the words')
    .option('-s, --source <name>', 'only tracks of this source', notEmpty)
    .addOption(new Option('--state <state>', 'only tracks in this state').choices(TRACK_STATES))
    .option('-l, --limit <n>', 'how many', wholeNumber(1, 10_000), SHOWN)
    .action(async (words: string[], options: Options) => {
      const text = words.join(' ');
      const { tracks, isTruncated } = await withContext(shell, async ({ store }) => {
        if (options.source !== undefined) await requireSource(store.trackFinder, options.source);
        return findTracks(store.trackFinder, text, options);
      });
      outputOf(shell, options).result(
        { tracks: tracks.map(({ rowId: _, ...track }) => track), isTruncated },
        () => forPeople(tracks, isTruncated),
      );
    });
}

const SHORT_STATES: Readonly<Record<TrackState, string>> = {
  live: 'live',
  taken_down: 'down',
  withdrawn: 'withdrawn',
  unavailable: 'unavailable',
};

function forPeople(tracks: readonly FoundTrack[], isTruncated: boolean): string {
  if (tracks.length === 0) return 'no such track';
  const text = fittedTable(
    ['STATE', 'ISRC', 'SOURCE', 'NAME', 'ARTISTS', 'SLUG'],
    tracks.map(({ state, isrc, source, name, artists, slug }) => [
      SHORT_STATES[state],
      isrc,
      source,
      name,
      artists.join(', '),
      slug,
    ]),
    ['SOURCE', 'NAME', 'ARTISTS'],
  );
  return isTruncated ? `${text}\nthere are more: add words, or raise --limit` : text;
}

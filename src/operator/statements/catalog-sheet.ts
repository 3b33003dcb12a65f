import type { SourceCounts } from '../../features/takedown/found-track.ts';
import { type Sheet, utc } from './sheet.ts';

/** @param at when the tracks were counted, in milliseconds since the epoch */
export function catalogSheet(sources: readonly SourceCounts[], at: number): Sheet {
  const rows = sources.map((one) => [
    ...[one.source, one.tracks, one.withoutAudio, one.withoutIsrc, one.withoutArtwork],
    ...[one.duplicates, one.comingSwitches],
    ...[one.nextSwitchAt === null ? '' : utc(one.nextSwitchAt), one.takenDown],
  ]);
  return {
    title: 'Catalog by source',
    facts: [['Made', utc(at)]],
    tables: [
      {
        title: 'Sources',
        columns: [
          ...['Source', '# Tracks', '# Without audio', '# Without ISRC', '# Without artwork'],
          ...['# Duplicates', '# Coming switches', 'Next switch', '# Taken down'],
        ],
        rows,
        empty: 'there are no tracks',
      },
    ],
    at,
  };
}

import type { Track } from './track.ts';
import type { DETECTABLE } from './track-values.ts';

/** Values in the form of a delivery. Absent ones are unknown. */
export type DetectedValues = Partial<Pick<Track, (typeof DETECTABLE)[number]>>;

/** The columns of a track that a fill reads and writes. Lists are JSON texts. */
export interface FilledColumns {
  bpm: string;
  songKeys: string;
  /**
   * DetectedValues that the track has got; null if there are none. A value that the column of the member does not contain
   * any more was replaced: the program of an earlier version imports without changing this column.
   */
  detected: string | null;
}

/** Returns the values of a track that come from the analysis. */
export function detectedOf({ bpm, songKeys, detected }: FilledColumns): DetectedValues {
  if (detected === null) return {};
  const values: DetectedValues = JSON.parse(detected);
  return {
    ...(values.bpm === bpm && { bpm }),
    ...(JSON.stringify(values.songKey) === songKeys && { songKey: values.songKey! }),
  };
}

/**
 * Returns the columns of a track after a fill: what was not delivered gets the values, and loses what an earlier fill gave.
 *
 * @param before as they are stored
 */
export function filled(before: FilledColumns, values: DetectedValues): FilledColumns {
  const former = detectedOf(before);
  const delivered = {
    bpm: former.bpm === undefined ? before.bpm : '',
    songKeys: former.songKey === undefined ? before.songKeys : '[]',
  };
  return withDetected(delivered, values);
}

/** Returns the columns of a track with these delivered values, whose absent ones are filled. */
export function withDetected(
  { bpm, songKeys }: Omit<FilledColumns, 'detected'>,
  values: DetectedValues,
): FilledColumns {
  const used: DetectedValues = {
    ...(bpm === '' && values.bpm !== undefined && { bpm: values.bpm }),
    ...(songKeys === '[]' && values.songKey !== undefined && { songKey: values.songKey }),
  };
  return {
    bpm: used.bpm ?? bpm,
    songKeys: used.songKey === undefined ? songKeys : JSON.stringify(used.songKey),
    detected: Object.keys(used).length === 0 ? null : JSON.stringify(used),
  };
}

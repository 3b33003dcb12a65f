/** The values at which a slider stops, ascending. At the first one a range is open below, at the last one above. */
export type Scale = readonly number[];

/** Beats per minute. */
export const TEMPOS: Scale = steps(40, 220, 1);

/** Seconds: the longer, the less exact. */
export const LENGTHS: Scale = [
  ...steps(0, 60, 1),
  ...steps(65, 300, 5),
  ...steps(315, 600, 15),
  ...steps(660, 1800, 60),
];

function steps(from: number, to: number, by: number): number[] {
  return Array.from({ length: (to - from) / by + 1 }, (_, i) => from + i * by);
}

/** The place of the stop that is nearest to an end of a range; of the outermost one if that end is open. */
export function placeOf(scale: Scale, end: 'from' | 'to', value: number | undefined): number {
  if (value === undefined) return end === 'from' ? 0 : scale.length - 1;
  const above = scale.findIndex((stop) => stop >= value);
  if (above < 0) return scale.length - 1;
  return above > 0 && value - scale[above - 1]! < scale[above]! - value ? above - 1 : above;
}

/** The end of a range that a place stands for; undefined if it is open there. */
export function valueAt(scale: Scale, end: 'from' | 'to', place: number): number | undefined {
  return place === (end === 'from' ? 0 : scale.length - 1) ? undefined : scale[place];
}

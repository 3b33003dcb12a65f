/** The parts of a set of tracks that are needed here. */
interface Tracks {
  readonly count: number;
  has(ordinal: number): boolean;
  /** Calls back for each track in order. */
  each(visit: (ordinal: number) => void): void;
}

/** The cost of searching an ascending list for one track, in ordinals of a list that are read in the same time. */
const ORDINALS_A_SEARCH = 16;

/** Whether searching an ascending list for each track of a set costs less than reading the list. */
export function isLong(ordinals: Uint32Array, set: Tracks): boolean {
  return costOfCommon(ordinals, set.count) < ordinals.length;
}

/** The cost of finding which of `tracks` tracks are in an ascending list, in ordinals that are read. */
export function costOfCommon(ordinals: Uint32Array, tracks: number): number {
  return Math.min(ordinals.length, tracks * ORDINALS_A_SEARCH);
}

/** Calls back for each track of a set that is in an ascending list. */
export function eachCommon(
  ordinals: Uint32Array,
  set: Tracks,
  visit: (ordinal: number) => void,
): void {
  if (!isLong(ordinals, set)) {
    for (let i = 0; i < ordinals.length; i++) {
      if (set.has(ordinals[i]!)) visit(ordinals[i]!);
    }
    return;
  }
  let at = 0;
  set.each((ordinal) => {
    at = firstNotBelow(ordinals, at, ordinal);
    if (ordinals[at] === ordinal) visit(ordinal);
  });
}

/** Finds the first position from `from` on whose number is not less than the given one, in steps that double. */
function firstNotBelow(list: Uint32Array, from: number, number: number): number {
  let low = from;
  let step = 1;
  while (low + step < list.length && list[low + step]! < number) {
    low += step;
    step *= 2;
  }
  let high = Math.min(list.length, low + step);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

import type { IndexEntry } from '../catalog/catalog-index.ts';
import { partitionPoint } from './partition-point.ts';
import { buildSegment, catalogOrder } from './segment.ts';
import { SegmentSearch } from './segment-search.ts';
import { sortedInSteps } from './steps.ts';

/** What changed since the base was built, ready to be searched beside it. */
export interface Delta {
  search: SegmentSearch;
  /** For each of its tracks, how many ordinals of the base come before it. */
  places: Uint32Array;
}

const PLACES_A_STEP = 1_024;

/** Builds a delta in steps of some milliseconds. The base must be in catalog order. */
export function* deltaOver(
  base: readonly IndexEntry[],
  changed: Iterable<IndexEntry>,
): Generator<void, Delta> {
  const entries = yield* sortedInSteps([...changed], catalogOrder);
  const search = new SegmentSearch(yield* buildSegment(entries));
  const places = new Uint32Array(entries.length);
  let place = 0;
  for (const [i, entry] of entries.entries()) {
    const isBefore = (at: number) => catalogOrder(base[at]!, entry) < 0;
    place = partitionPoint(place, base.length, isBefore);
    places[i] = place;
    if (i % PLACES_A_STEP === PLACES_A_STEP - 1) {
      yield;
    }
  }
  return { search, places };
}

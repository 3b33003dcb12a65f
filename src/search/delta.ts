import type { IndexEntry } from '../catalog/catalog-index.ts';
import { partitionPoint } from './partition-point.ts';
import { compareInCatalog, Segment } from './segment.ts';
import { buildSegment, type SegmentOptions } from './segment-builder.ts';
import { SegmentSearch } from './segment-search.ts';

/** What changed since the base was built, ready to be searched beside it. */
export interface Delta {
  search: SegmentSearch;
  /** For each of its tracks, how many ordinals of the base come before it. */
  places: Uint32Array;
}

const PLACES_A_STEP = 1_024;

/** Builds a delta in steps of some milliseconds; each id once. */
export function* deltaOver(
  base: Segment,
  changed: Iterable<IndexEntry>,
  options?: SegmentOptions,
): Generator<void, Delta> {
  const segment = new Segment(yield* buildSegment(changed, 0, options));
  const places = new Uint32Array(segment.size);
  let place = 0;
  for (let ordinal = 0; ordinal < segment.size; ordinal++) {
    const isBefore = (at: number) => compareInCatalog(base, at, segment, ordinal) < 0;
    place = partitionPoint(place, base.size, isBefore);
    places[ordinal] = place;
    if (ordinal % PLACES_A_STEP === PLACES_A_STEP - 1) {
      yield;
    }
  }
  return { search: new SegmentSearch(segment), places };
}

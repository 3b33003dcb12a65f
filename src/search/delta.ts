import type { IndexEntry } from '../catalog/catalog-index.ts';
import { partitionPoint } from './partition-point.ts';
import { compareInCatalog, Segment } from './segment.ts';
import { buildSegment, type SegmentOptions } from './segment-builder.ts';
import { SegmentSearch } from './segment-search.ts';

/** The delta of an index, ready for searches beside the base. */
export interface Delta {
  search: SegmentSearch;
  /** For each track of the delta, the number of ordinals of the base that come before it. */
  places: Uint32Array;
}

const PLACES_A_STEP = 1_024;

/** Builds a delta in steps of a few milliseconds. `changed` must have each id once. */
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

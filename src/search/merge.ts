import type { IndexEntry } from '../catalog/catalog-index.ts';
import type { SegmentColumns } from './columns.ts';
import { compareInCatalog, Segment } from './segment.ts';
import { buildSegment, type SegmentOptions } from './segment-builder.ts';

/** Two segments that are to become one; plain data, for another thread to work on. */
export interface MergeInput {
  base: SegmentColumns;
  /** Which tracks of the base are still live, one bit each. */
  live: Uint32Array;
  delta: SegmentColumns;
  /** Up to where in the change log everything is in the two. */
  seq: number;
}

/** Makes one segment of the live tracks of both, in steps of some milliseconds. */
export function mergeSegments(
  { base, live, delta, seq }: MergeInput,
  options?: SegmentOptions,
): Generator<void, SegmentColumns> {
  return buildSegment(liveEntries(new Segment(base), live, new Segment(delta)), seq, options);
}

/** All live tracks in catalog order, which spares the builder its sort. */
function* liveEntries(base: Segment, live: Uint32Array, delta: Segment): Iterable<IndexEntry> {
  let next = 0;
  for (let ordinal = 0; ordinal < base.size; ordinal++) {
    if ((live[ordinal >>> 5]! & (1 << (ordinal & 31))) === 0) {
      continue;
    }
    while (next < delta.size && compareInCatalog(delta, next, base, ordinal) < 0) {
      yield delta.entry(next++);
    }
    yield base.entry(ordinal);
  }
  while (next < delta.size) {
    yield delta.entry(next++);
  }
}

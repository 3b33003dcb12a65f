import type { IndexEntry } from '../catalog/catalog-index.ts';
import type { SegmentColumns } from './columns.ts';
import { compareInCatalog, Segment } from './segment.ts';
import { buildSegment, type SegmentOptions } from './segment-builder.ts';

/** The input of a merge: two segments as plain data, so that another thread can merge them. */
export interface MergeInput {
  base: SegmentColumns;
  /** The live tracks of the base, as a bitset. */
  live: Uint32Array;
  delta: SegmentColumns;
  /** The `seq` up to which all changes are in the two segments. */
  seq: number;
}

/** Makes one segment of the live tracks of both segments, in steps of a few milliseconds. */
export function mergeSegments(
  { base, live, delta, seq }: MergeInput,
  options?: SegmentOptions,
): Generator<void, SegmentColumns> {
  return buildSegment(liveEntries(new Segment(base), live, new Segment(delta)), seq, options);
}

/** All live tracks in catalog order, so that the builder need not sort them. */
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

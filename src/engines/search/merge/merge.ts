import { collectedFrom } from '../build/collected-segment.ts';
import { type SegmentOptions, segmentOf } from '../build/segment-builder.ts';
import type { CollectedTracks } from '../build/track-collector.ts';
import type { SegmentColumns } from '../segments/columns.ts';

/** The input of a merge: segments as plain data, so that another thread can merge them. */
export interface MergeInput {
  parts: readonly MergePart[];
  /** Whether the first part is the base, so that the result is a new base and contains the whole catalog. */
  isWhole: boolean;
  /** The `seq` up to which all changes are in the merged segment. */
  seq: number;
}

/** One segment of a merge. */
interface MergePart {
  columns: SegmentColumns;
  /** The live tracks, as a bitset. A track is live in at most one segment. */
  live: Uint32Array;
}

/** Makes one segment of the live tracks of all parts, in steps of a few milliseconds. */
export function* mergeSegments(
  { parts, seq }: MergeInput,
  options?: SegmentOptions,
): Generator<void, SegmentColumns> {
  const collected: CollectedTracks[] = [];
  for (const { columns, live } of parts) {
    collected.push(yield* collectedFrom(columns, live));
  }
  return yield* segmentOf(collected, seq, options);
}

import type { SegmentColumns } from '../segments/columns.ts';
import { collectedFrom } from './collected-segment.ts';
import { type SegmentOptions, segmentOf } from './segment-builder.ts';
import type { CollectedTracks } from './track-collector.ts';

/** The input of a merge: segments as plain data, so that another thread can merge them. */
export interface MergeInput {
  parts: readonly MergePart[];
  /** Whether the first part is the base, so that the result is a new base and contains the whole catalog. */
  isWhole: boolean;
  /** The `seq` up to which all changes are in the merged segment. */
  seq: number;
}

interface MergePart {
  columns: SegmentColumns;
  /** The live tracks, as a bitset. A track is live in at most one segment. */
  live: Uint32Array;
}

export function* mergeSegments(
  { parts, seq }: MergeInput,
  options?: SegmentOptions,
): Generator<void, SegmentColumns> {
  const collected: CollectedTracks[] = [];
  for (const { columns, live } of parts) {
    collected.push(yield* collectedFrom(columns, live));
  }
  const language = parts[0]?.columns.meta.language;
  return yield* segmentOf(collected, seq, { language, ...options });
}

/** The numbers of tracks of a segment: when it was built, and live ones. */
export interface PartSize {
  size: number;
  live: number;
}

/** A merge of the base is due when one in this many of its tracks was changed, removed or added. */
const BASE_SHARE = 10;

/** A segment with fewer tracks is built again with each change. */
const REBUILD_BELOW = 512;

/** The greatest number of tracks that are built again when a change is applied. */
const REBUILD_UP_TO = 4_096;

/**
 * Decides which segments are due to be merged: the returned one and all newer ones. Undefined if none is due.
 * A segment is due when the newer ones have as many live tracks as it has, so that a track is merged about
 * once each time that the number of newer tracks doubles. The first segment is the base. It is due earlier,
 * because a start takes in all that the snapshot of the base lacks.
 *
 * @param parts the oldest first
 * @param baseAtLeast the least number of changes that makes a merge of the base due
 */
export function dueFrom(parts: readonly PartSize[], baseAtLeast: number): number | undefined {
  let due: number | undefined;
  let newer = 0;
  for (let i = parts.length - 1; i >= 0; i--) {
    const { size, live } = parts[i]!;
    const changed = newer + size - live;
    const isDue = i === 0 ? changed >= baseAtLeast && changed > size / BASE_SHARE : changed >= size;
    if (isDue) due = i;
    newer += live;
  }
  return due;
}

/**
 * The number of segments, from the newest on, whose live tracks go into one segment with tracks that are
 * added. They are small, and their number doubles each time that a segment becomes older.
 *
 * @param parts the segments that may be built again, the oldest first
 */
export function countRebuilt(
  parts: readonly PartSize[],
  added: number,
  upTo: number = REBUILD_UP_TO,
): number {
  let total = added;
  let count = 0;
  while (count < parts.length) {
    const { live } = parts[parts.length - 1 - count]!;
    if (total + live > upTo || (live >= REBUILD_BELOW && live > total)) break;
    total += live;
    count++;
  }
  return count;
}

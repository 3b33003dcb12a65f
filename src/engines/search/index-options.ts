import type { ChangedSegment } from './build/changed-segment.ts';
import type { SegmentOptions } from './build/segment-builder.ts';
import type { MergeInput } from './merge/merge.ts';
import type { SegmentColumns } from './segments/columns.ts';

/** Options of an index. All have defaults. */
export interface SegmentedIndexOptions extends SegmentOptions {
  /** The least number of changes that makes a merge of the base due. Default: 1,000. */
  mergeAtLeast?: number;
  /** The number of tracks from which this index does not merge its base, because another one does. */
  keepsBaseFrom?: number;
  /** The greatest number of tracks that a change builds again. Default: see `countRebuilt`. */
  rebuildUpTo?: number;
  /** See `SimilarSearch`. */
  scoreEachUpTo?: number;
  /** Merges segments. Default: in this thread, in steps between other work. */
  merge?: (input: MergeInput) => Promise<SegmentColumns>;
  /** Makes a segment of all changes in the log after a `seq`. Without it, `catchUp` rejects. */
  changes?: (after: number) => Promise<ChangedSegment>;
}

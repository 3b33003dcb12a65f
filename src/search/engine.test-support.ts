import type { IndexEntry } from '../catalog/catalog-index.ts';
import { Segment } from './segment.ts';
import { buildSegment } from './segment-builder.ts';
import { SegmentedIndex, type SegmentedIndexOptions } from './segmented-index.ts';
import { completed } from './steps.ts';

/**
 * The engine over these tracks, an id that comes twice as it came last; the one place that knows how
 * tests make one. Common pieces of words get their bitsets however few the tracks.
 */
export function builtOver(
  entries: readonly IndexEntry[],
  options: SegmentedIndexOptions = {},
): SegmentedIndex {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const all = { kernelFrom: 0, ...options };
  return new SegmentedIndex(new Segment(completed(buildSegment(byId.values(), 0, all))), all);
}

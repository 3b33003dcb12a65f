import { buildSegment } from './build/segment-builder.ts';
import { runSteps } from './build/steps.ts';
import type { IndexEntry } from './catalog-index.ts';
import { SegmentedIndex, type SegmentedIndexOptions } from './segmented-index.ts';
import { Segment } from './segments/segment.ts';

/**
 * Builds an index of these tracks. If several tracks have the same id, the last one is used. All tests build
 * their index here. Dense pieces get bitsets even if there are few tracks.
 */
export function builtOver(
  entries: readonly IndexEntry[],
  options: SegmentedIndexOptions = {},
): SegmentedIndex {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const all = { kernelFrom: 0, ...options };
  return new SegmentedIndex(new Segment(runSteps(buildSegment(byId.values(), 0, all))), all);
}

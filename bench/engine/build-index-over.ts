import { buildSegment } from '../../src/engines/search/build/segment-builder.ts';
import { runSteps } from '../../src/engines/search/build/steps.ts';
import type { CatalogIndex, IndexEntry } from '../../src/engines/search/catalog-index.ts';
import { SegmentedIndex } from '../../src/engines/search/segmented-index.ts';
import { Segment } from '../../src/engines/search/segments/segment.ts';

/** Builds the engine from these tracks. Only this file depends on the implementation of the engine. */
export function buildIndexOver(entries: Iterable<IndexEntry>): CatalogIndex {
  return new SegmentedIndex(new Segment(runSteps(buildSegment(entries, 0))));
}

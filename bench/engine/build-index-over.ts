import type { CatalogIndex, IndexEntry } from '../../src/catalog/catalog-index.ts';
import { Segment } from '../../src/search/segment.ts';
import { buildSegment } from '../../src/search/segment-builder.ts';
import { SegmentedIndex } from '../../src/search/segmented-index.ts';
import { runSteps } from '../../src/search/steps.ts';

/** Builds the engine from these tracks. Only this file depends on the implementation of the engine. */
export function buildIndexOver(entries: Iterable<IndexEntry>): CatalogIndex {
  return new SegmentedIndex(new Segment(runSteps(buildSegment(entries, 0))));
}

import type { CatalogIndex, IndexEntry } from '../../src/catalog/catalog-index.ts';
import { Segment } from '../../src/search/segment.ts';
import { SegmentBuilder } from '../../src/search/segment-builder.ts';
import { SegmentedIndex } from '../../src/search/segmented-index.ts';
import { runSteps } from '../../src/search/steps.ts';

/** Builds the engine from these tracks. Only this file depends on the implementation of the engine. */
export function buildIndexOver(entries: Iterable<IndexEntry>): CatalogIndex {
  const builder = new SegmentBuilder();
  for (const entry of entries) builder.add(entry);
  return new SegmentedIndex(new Segment(runSteps(builder.finish(0))));
}

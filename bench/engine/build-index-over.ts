import type { CatalogIndex, IndexEntry } from '../../src/catalog/catalog-index.ts';
import { Segment } from '../../src/search/segment.ts';
import { SegmentBuilder } from '../../src/search/segment-builder.ts';
import { SegmentedIndex } from '../../src/search/segmented-index.ts';
import { completed } from '../../src/search/steps.ts';

/** The engine over these tracks: the one place where the benchmark knows which engine it is. */
export function buildIndexOver(entries: Iterable<IndexEntry>): CatalogIndex {
  const builder = new SegmentBuilder();
  for (const entry of entries) builder.add(entry);
  return new SegmentedIndex(new Segment(completed(builder.finish(0))));
}

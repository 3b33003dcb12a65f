import type { IndexSource, LoadedIndex } from '../../src/catalog/catalog-index.ts';
import { buildFromStore, type IndexedStore } from '../../src/search/build-index.ts';
import { Segment } from '../../src/search/segment.ts';
import { SegmentedIndex } from '../../src/search/segmented-index.ts';

/** Builds indexes in this thread and stores none. */
export function indexSource(store: IndexedStore): IndexSource {
  const build = async (): Promise<LoadedIndex> => {
    const columns = await buildFromStore(store);
    return { index: new SegmentedIndex(new Segment(columns)), seq: columns.meta.seq };
  };
  return { open: build, build };
}

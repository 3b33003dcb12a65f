import type { IndexSource, LoadedIndex } from '../../src/catalog/catalog-index.ts';
import { buildFromStore, type IndexedStore } from '../../src/search/build-index.ts';
import { type ChangedStore, changedSegment } from '../../src/search/changed-segment.ts';
import { Segment } from '../../src/search/segment.ts';
import { SegmentedIndex } from '../../src/search/segmented-index.ts';

/** Builds indexes in this thread and stores none. */
export function indexSource(store: IndexedStore & ChangedStore): IndexSource {
  const build = async (): Promise<LoadedIndex> => {
    const columns = await buildFromStore(store);
    const options = { changes: (after: number) => changedSegment(store, after) };
    return { index: new SegmentedIndex(new Segment(columns), options), seq: columns.meta.seq };
  };
  return { open: build, build };
}

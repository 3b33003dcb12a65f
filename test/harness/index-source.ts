import {
  buildFromStore,
  type ChangedStore,
  changedSegment,
  type IndexedStore,
} from '../../src/engines/search/build/build-index.ts';
import type { IndexSource, LoadedIndex } from '../../src/engines/search/catalog-index.ts';
import { SegmentedIndex } from '../../src/engines/search/segmented-index.ts';
import { Segment } from '../../src/engines/search/segments/segment.ts';

/** Builds indexes in this thread and stores none. */
export function indexSource(store: IndexedStore & ChangedStore): IndexSource {
  const build = async (): Promise<LoadedIndex> => {
    const columns = await buildFromStore(store);
    const options = { changes: (after: number) => changedSegment(store, after) };
    return { index: new SegmentedIndex(new Segment(columns), options), seq: columns.meta.seq };
  };
  return { open: build, build };
}

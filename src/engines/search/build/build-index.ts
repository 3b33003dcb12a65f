import type { IndexEntry, RowIdRange } from '../catalog-index.ts';
import { runStepsWithPauses } from '../query/steps.ts';
import type { SegmentColumns } from '../segments/columns.ts';
import { segmentOf } from './segment-builder.ts';
import { type CollectedTracks, TrackCollector } from './track-collector.ts';

/** The parts of a store that an index is built from. */
export interface IndexedStore {
  catalog: { allIndexEntries(rows?: RowIdRange): AsyncIterable<readonly IndexEntry[]> };
  changes: { head(): Promise<number> };
}

/** Builds a segment of all live tracks of the store, in steps of a few milliseconds. */
export async function buildFromStore({ catalog, changes }: IndexedStore): Promise<SegmentColumns> {
  // The head is read before the tracks: changes that are committed meanwhile are then applied again from the
  // log.
  const seq = await changes.head();
  return runStepsWithPauses(segmentOf([await collectTracks(catalog)], seq));
}

/**
 * Collects the live tracks of the store with the given row ids, by default all, in steps of a few
 * milliseconds.
 */
export async function collectTracks(
  catalog: IndexedStore['catalog'],
  rows?: RowIdRange,
): Promise<CollectedTracks> {
  const collector = new TrackCollector();
  for await (const slice of catalog.allIndexEntries(rows)) {
    for (const entry of slice) {
      collector.add(entry);
    }
  }
  return collector.collected;
}

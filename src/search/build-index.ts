import type { IndexEntry } from '../catalog/catalog-index.ts';
import type { SegmentColumns } from './columns.ts';
import { segmentOf } from './segment-builder.ts';
import { runStepsWithPauses } from './steps.ts';
import { TrackCollector } from './track-collector.ts';

/** The parts of a store that an index is built from. */
export interface IndexedStore {
  catalog: { allIndexEntries(): AsyncIterable<readonly IndexEntry[]> };
  changes: { head(): Promise<number> };
}

/** Builds a segment of all live tracks of the store, in steps of a few milliseconds. */
export async function buildFromStore({ catalog, changes }: IndexedStore): Promise<SegmentColumns> {
  // The head is read before the tracks: changes that are committed meanwhile are then applied again from the
  // log.
  const seq = await changes.head();
  const collector = new TrackCollector();
  for await (const slice of catalog.allIndexEntries()) {
    for (const entry of slice) {
      collector.add(entry);
    }
  }
  return runStepsWithPauses(segmentOf([collector.collected], seq));
}

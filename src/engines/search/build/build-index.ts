import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Change, ChangeEntity } from '../../change-log/change-log.ts';
import type { IndexEntry, RowIdRange } from '../catalog-index.ts';
import { type SegmentColumns, shared } from '../segments/columns.ts';
import { writeId } from '../segments/track-id.ts';
import { type SegmentOptions, segmentOf } from './segment-builder.ts';
import { runStepsWithPauses } from './steps.ts';
import { type CollectedTracks, TrackCollector } from './track-collector.ts';

export interface IndexedStore {
  catalog: { allIndexEntries(rows?: RowIdRange): AsyncIterable<readonly IndexEntry[]> };
  changes: { head(): Promise<number> };
}

/** Builds a segment of all live tracks of the store, in steps of a few milliseconds. */
export async function buildFromStore(
  { catalog, changes }: IndexedStore,
  options?: SegmentOptions,
): Promise<SegmentColumns> {
  // The head is read before the tracks: changes that are committed meanwhile are then applied again from the
  // log.
  const seq = await changes.head();
  return runStepsWithPauses(segmentOf([await collectTracks(catalog)], seq, options));
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

/** All changes of tracks in a part of the change log. */
export interface ChangedSegment {
  /** The changed tracks that are live. Its `seq` is that of the last change. */
  columns: SegmentColumns;
  /** The ids of the changed tracks that are not live, four words each. */
  removed: Uint32Array;
}

export interface ChangedStore {
  catalog: { indexEntries(ids: readonly string[]): Promise<readonly IndexEntry[]> };
  changes: {
    since(seq: number, entities: readonly ChangeEntity[], limit: number): Promise<Change[]>;
  };
}

/** The number of changes, and of tracks, that are read at once: a few milliseconds of work. */
const BATCH = 256;

/**
 * Builds a segment of all tracks that changed after a `seq`, in steps of a few milliseconds.
 * @param pause called between the reads
 */
export async function changedSegment(
  { catalog, changes }: ChangedStore,
  after: number,
  options?: SegmentOptions,
  pause: () => Promise<void> = nextTurn,
): Promise<ChangedSegment> {
  const changed = new Set<string>();
  let seq = after;
  let read: Change[];
  do {
    read = await changes.since(seq, ['track', 'sound'], BATCH);
    for (const { entityId } of read) changed.add(entityId);
    seq = read.at(-1)?.seq ?? seq;
    await pause();
  } while (read.length === BATCH);

  const collector = new TrackCollector();
  const ids = [...changed];
  for (let i = 0; i < ids.length; i += BATCH) {
    for (const entry of await catalog.indexEntries(ids.slice(i, i + BATCH))) {
      collector.add(entry);
      changed.delete(entry.id);
    }
    await pause();
  }
  const removed = shared.uint32(changed.size * 4);
  [...changed].forEach((id, i) => {
    writeId(removed, i, id);
  });
  const steps = segmentOf([collector.collected], seq, options);
  return { columns: await runStepsWithPauses(steps), removed };
}

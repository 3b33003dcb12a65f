import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Change, ChangeLog } from '../../../engines/change-log/change-log.ts';
import type { CatalogIndex } from '../../../engines/search/catalog-index.ts';
import type { CatalogStore } from '../catalog-stores.ts';
import type { LiveFilters } from './live-filters.ts';

/** The entities whose changes the catalog shows; of playlists, only the languages of their texts. */
export const CATALOG_ENTITIES = ['track', 'filter', 'playlist'] as const;
const SHOWN_ENTITIES: ReadonlySet<string> = new Set(CATALOG_ENTITIES);

/** Whether a change is of one of these entities. */
export function isShown({ entity }: Change): boolean {
  return SHOWN_ENTITIES.has(entity);
}

/** Whether a change is of a track. */
export function isOfTrack({ entity }: Change): boolean {
  return entity === 'track';
}

/** The number of changes that are read at once. */
const BATCH = 1_000;

/** A position in the log, and the last change of each track up to there. */
export interface CaughtUp {
  seq: number;
  changed: ReadonlyMap<string, number>;
}

/** Reads which tracks have changed after `from`. */
export async function changedSince(from: number, log: Pick<ChangeLog, 'since'>): Promise<CaughtUp> {
  const changed = new Map<string, number>();
  let seq = from;
  let read: Change[];
  do {
    read = await log.since(seq, ['track'], BATCH);
    for (const { entityId, seq: at } of read) changed.set(entityId, at);
    seq = read.at(-1)?.seq ?? seq;
    await nextTurn();
  } while (read.length === BATCH);
  return { seq, changed };
}

/** Adds the row ids of those tracks that an index has. */
export async function locateAll(
  index: Pick<CatalogIndex, 'locate'>,
  ids: Iterable<string>,
  into: { add(rowId: number): unknown },
): Promise<void> {
  const all = [...ids];
  for (let i = 0; i < all.length; i += BATCH) {
    for (const track of index.locate(all.slice(i, i + BATCH), {})) {
      if (track !== undefined) into.add(track);
    }
    await nextTurn();
  }
}

/** The least number of changes from which an index is built again. */
const REBUILD_FROM = 50_000;

/**
 * Whether an index of this many tracks is so far behind that it is built again from the store. That is when it
 * would otherwise double, or, at a start, when it lacks a tenth: then taking in the changes, and merging them,
 * takes longer than a build by all processors.
 */
export function isTooFarBehind(changes: number, tracks: number, isStart = false): boolean {
  return changes >= Math.max(REBUILD_FROM, isStart ? tracks / 10 : tracks);
}

/** The greatest number of changes that are applied in the serving thread, in some milliseconds. */
export const APPLY_HERE = 256;

/** Reads the changed tracks that are live, and the filters if these may have changed. */
export async function readChanged(
  changes: readonly Change[],
  store: Pick<CatalogStore, 'indexEntries' | 'filters'>,
  known: Pick<LiveFilters, 'mayChange'>,
) {
  const ids = [...new Set(changes.map(({ entityId }) => entityId))];
  const entries = await store.indexEntries(ids);
  const live = new Set(entries.map(({ id }) => id));
  const mayChange = known.mayChange(changes, entries, live);
  return { entries, filters: mayChange ? await store.filters() : undefined };
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Change, ChangeLog } from '../changes/change-log.ts';
import type { CatalogIndex, IndexEntry } from './catalog-index.ts';
import type { CatalogStore } from './store.ts';

/** The number of changes, and of tracks, that are read at once. */
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

/**
 * Applies all changes of tracks after `from` to an index that does not answer queries yet. All are applied in
 * one call, because each call costs as much as all changes that the index has received.
 */
export async function catchUp(
  index: CatalogIndex,
  from: number,
  { log, store }: { log: Pick<ChangeLog, 'since'>; store: Pick<CatalogStore, 'indexEntries'> },
): Promise<CaughtUp> {
  const { seq, changed } = await changedSince(from, log);
  const ids = [...changed.keys()];
  const entries: IndexEntry[] = [];
  for (let i = 0; i < ids.length; i += BATCH) {
    entries.push(...(await store.indexEntries(ids.slice(i, i + BATCH))));
    await nextTurn();
  }
  if (ids.length > 0) {
    const live = new Set(entries.map(({ id }) => id));
    await index.apply(
      entries,
      ids.filter((id) => !live.has(id)),
      seq,
    );
  }
  return { seq, changed };
}

/** Adds the row ids of those tracks that an index has. */
export async function locateAll(
  index: Pick<CatalogIndex, 'locate'>,
  ids: Iterable<string>,
  into: Set<number>,
): Promise<void> {
  const all = [...ids];
  for (let i = 0; i < all.length; i += BATCH) {
    for (const track of index.locate(all.slice(i, i + BATCH), {})) {
      if (track !== undefined) into.add(track);
    }
    await nextTurn();
  }
}

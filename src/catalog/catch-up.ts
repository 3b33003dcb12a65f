import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Change, ChangeLog } from '../changes/change-log.ts';
import type { CatalogIndex, IndexEntry } from './catalog-index.ts';
import type { CatalogStore } from './store.ts';

/** So many changes, and so many tracks, are read at once. */
const BATCH = 1_000;

/** How far an index got in the log, and what it took in for that; the last change of each track. */
export interface CaughtUp {
  seq: number;
  changed: ReadonlyMap<string, number>;
}

/**
 * Takes all that the log says of tracks after `from` into an index that answers nothing yet, in one
 * piece: an index costs with every piece what it has taken in already.
 */
export async function catchUp(
  index: CatalogIndex,
  from: number,
  { log, store }: { log: Pick<ChangeLog, 'since'>; store: Pick<CatalogStore, 'indexEntries'> },
): Promise<CaughtUp> {
  const changed = new Map<string, number>();
  let seq = from;
  let read: Change[];
  do {
    read = await log.since(seq, ['track'], BATCH);
    for (const { entityId, seq: at } of read) changed.set(entityId, at);
    seq = read.at(-1)?.seq ?? seq;
    await nextTurn();
  } while (read.length === BATCH);

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

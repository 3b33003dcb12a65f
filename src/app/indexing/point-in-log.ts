import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '../../common/clock.ts';
import { newId } from '../../common/ids.ts';
import { LOG_DAYS } from '../../engines/change-log/positions.ts';
import { CATALOG_ID } from '../../engines/sql/setting-store.ts';
import type { Store } from '../../features/store.ts';

/** The entries of the change log that follow an older copy may have expired. */
const MAX_AGE_MS = (LOG_DAYS - 1) * DAY_MS;

/** Where and when a copy of the catalog on disk was made. */
export interface CopyOrigin {
  /**
   * What `pointInLog` returned after the catalog was read. The copy may contain changes up to there, although it
   * is certain to contain only those up to the position where the reading began.
   */
  catalog: string;
  /** In milliseconds since the epoch. */
  asOf: number;
}

/** Returns why an intact copy on disk cannot be used; undefined if it can. */
export async function refusalReason(
  store: Store,
  { catalog, asOf }: CopyOrigin,
  now: number,
): Promise<string | undefined> {
  const [, seq] = JSON.parse(catalog) as [catalogId: string, seq: number];
  if (catalog !== (await pointInLog(store, seq))) {
    return 'it belongs to another catalog, or to another history of this one';
  }
  const age = now - asOf;
  return age > MAX_AGE_MS || age < 0 ? 'it is too old, or its time is in the future' : undefined;
}

/**
 * A text that identifies a position in the log of one catalog, also if the catalog was restored from a backup.
 * By default, it is the end of the log.
 */
export async function pointInLog({ settings, changes }: Store, at?: number): Promise<string> {
  const seq = at ?? (await changes.head());
  const catalogId = (await settings.get(CATALOG_ID)) ?? (await settings.add(CATALOG_ID, newId()));
  const [last] = await changes.latest(1, { beforeSeq: seq + 1 });
  const change = last && [last.seq, last.at, last.entity, last.kind, last.entityId];
  return JSON.stringify([catalogId, seq, change ?? null]);
}

/**
 * Returns a function that pauses for as long as the work since its last return took. A thread that reads much calls it
 * between its reads, because the write-ahead log of SQLite can begin anew, and so stay small, only while nobody reads.
 */
export function equalRests(): () => Promise<void> {
  let startedAt = performance.now();
  return async () => {
    await sleep(performance.now() - startedAt);
    startedAt = performance.now();
  };
}

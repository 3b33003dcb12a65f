import type { Transaction } from '../../../../engines/sql/postgres/database.ts';
import type { TrackDelivery } from '../../track.ts';
import { mergedWriters, type Writer, type WriterChange, writerChange } from '../../writers.ts';

/** The writers of tracks, by the row id of the track. */
export type WritersByTrack = ReadonlyMap<number, readonly Writer[]>;

/** Returns what is known of the writers of tracks. A track of which nothing is known is absent. */
async function storedWriters(
  tx: Transaction,
  trackRowIds: readonly number[],
): Promise<WritersByTrack> {
  const found = new Map<number, Writer[]>();
  if (trackRowIds.length === 0) return found;
  const rows = await tx.rows<Writer & { trackRowId: number }>(
    `SELECT track_row_id AS "trackRowId", name, role, ipi, society, share
     FROM track_writers WHERE track_row_id = ANY($1::bigint[]) ORDER BY track_row_id, position`,
    [trackRowIds],
  );
  for (const { trackRowId, ...writer } of rows) {
    const writers = found.get(trackRowId);
    if (writers === undefined) found.set(trackRowId, [writer]);
    else writers.push(writer);
  }
  return found;
}

/** Adds the writers of tracks that have none. */
export async function addWriters(tx: Transaction, writers: WritersByTrack): Promise<void> {
  const rows = [...writers].flatMap(([trackRowId, list]) =>
    list.map(({ name, role, ipi, society, share }, position) => {
      return [trackRowId, position, name, role, ipi, society, share];
    }),
  );
  if (rows.length === 0) return;
  await tx.copy('track_writers (track_row_id, position, name, role, ipi, society, share)', rows);
}

/** Gives tracks these writers instead of those that they have. */
export async function replaceWriters(tx: Transaction, writers: WritersByTrack): Promise<void> {
  if (writers.size === 0) return;
  await tx.run('DELETE FROM track_writers WHERE track_row_id = ANY($1::bigint[])', [
    [...writers.keys()],
  ]);
  await addWriters(tx, writers);
}

/** Returns the writers of new tracks, whose row ids begin at `nextRowId`. */
export function newWriters(
  creations: readonly { delivery: TrackDelivery }[],
  nextRowId: number,
): WritersByTrack {
  const found = new Map<number, Writer[]>();
  for (const [i, { delivery }] of creations.entries()) {
    if (delivery.writers !== undefined) {
      found.set(nextRowId + i, mergedWriters(delivery.writers, []));
    }
  }
  return found;
}

/** Returns how deliveries change the writers of stored tracks, by row id. */
export async function writerChanges(
  tx: Transaction,
  updates: readonly { rowId: number; delivery: TrackDelivery }[],
): Promise<Map<number, WriterChange>> {
  const given = updates.filter(({ delivery }) => delivery.writers !== undefined);
  const stored = await storedWriters(
    tx,
    given.map(({ rowId }) => rowId),
  );
  const changes = new Map<number, WriterChange>();
  for (const { rowId, delivery } of given) {
    const change = writerChange(delivery.writers!, stored.get(rowId) ?? []);
    if (change !== undefined) changes.set(rowId, change);
  }
  return changes;
}

import type { Transaction } from '../../../../engines/sql/postgres/database.ts';
import type { FormerTrack } from '../../batches.ts';
import type { TrackDelivery } from '../../track.ts';
import { isCrowded } from '../../track-parts.ts';
import {
  deliveredLists,
  formerLists,
  type GivenLists,
  LISTS,
  type ListChanges,
  type ListName,
  listChanges,
  listMembers,
  type WrittenLists,
} from '../track-lists.ts';

/** The delivery of a stored track. */
interface Update {
  rowId: number;
  delivery: TrackDelivery;
}

/** Returns how deliveries change the lists of stored tracks, by row id. */
export async function deliveredChanges(
  tx: Transaction,
  updates: readonly Update[],
): Promise<Map<number, ListChanges>> {
  const stored = await storedLists(
    tx,
    updates.map(({ rowId, delivery }) => ({ rowId, lists: delivery })),
  );
  return new Map(
    updates.flatMap(({ rowId, delivery }) => {
      const lists = stored.get(rowId) ?? {};
      const changes = listChanges(deliveredLists(delivery, lists), lists);
      return changes === undefined ? [] : [[rowId, changes]];
    }),
  );
}

/**
 * Gives tracks the lists that a batch kept of them. Returns the names of those that partners see and that change, by
 * row id.
 */
export async function putListsBack(
  tx: Transaction,
  tracks: readonly { rowId: number; id: string; former: FormerTrack }[],
): Promise<Map<number, readonly string[]>> {
  const given = tracks.map(({ rowId, id, former }) => ({ rowId, id, lists: formerLists(former) }));
  const stored = await storedLists(tx, given);
  const changed = given.map((track) => ({
    ...track,
    changes: listChanges(track.lists, stored.get(track.rowId) ?? {}),
  }));
  await replaceLists(
    tx,
    changed.map(({ changes, ...track }) => ({ ...track, lists: changes?.after ?? {} })),
  );
  return new Map(changed.map(({ rowId, changes }) => [rowId, listMembers(changes)]));
}

/** Returns the stored ones of the lists that tracks are given, by row id. Empty lists are absent. */
async function storedLists(
  tx: Transaction,
  tracks: readonly Pick<WrittenLists, 'rowId' | 'lists'>[],
): Promise<ReadonlyMap<number, GivenLists>> {
  const found = new Map<number, GivenLists>();
  for (const [name, { table, select, where, order, item }] of LISTS) {
    const rowIds = rowIdsWith(name, tracks);
    if (rowIds.length === 0) continue;
    const rows = await tx.rows<{ trackRowId: number }>(
      `SELECT track_row_id AS "trackRowId", ${select} FROM ${table}
       WHERE track_row_id = ANY($1::bigint[]) AND ${where} ORDER BY track_row_id, ${order}`,
      [rowIds],
    );
    for (const [rowId, ofTrack] of Map.groupBy(rows, ({ trackRowId }) => trackRowId)) {
      const list = ofTrack.map(({ trackRowId: _, ...row }) => item(row));
      found.set(rowId, { ...found.get(rowId), [name]: list });
    }
  }
  return found;
}

function rowIdsWith(
  name: ListName,
  tracks: readonly Pick<WrittenLists, 'rowId' | 'lists'>[],
): number[] {
  return tracks.flatMap(({ rowId, lists }) => (lists[name] === undefined ? [] : [rowId]));
}

/** Adds lists to tracks that have none of the same names. */
export async function addLists(tx: Transaction, tracks: readonly WrittenLists[]): Promise<void> {
  for (const [name, { table, columns, rows }] of LISTS) {
    const values = tracks.flatMap((track) => rows(track, track.lists[name] ?? []));
    if (values.length > 0) await tx.copy(`${table} (${columns})`, values);
  }
}

/** Gives tracks these lists instead of those that they have. */
export async function replaceLists(
  tx: Transaction,
  tracks: readonly WrittenLists[],
): Promise<void> {
  for (const [name, { table, where }] of LISTS) {
    const rowIds = rowIdsWith(name, tracks);
    if (rowIds.length === 0) continue;
    const sql = `DELETE FROM ${table} WHERE track_row_id = ANY($1::bigint[]) AND ${where}`;
    await tx.rows(sql, [rowIds]);
  }
  await addLists(tx, tracks);
}

/** Returns the deliveries that would give stored tracks more parts than they may have. */
export async function crowdingDeliveries(
  tx: Transaction,
  updates: readonly Update[],
): Promise<Set<TrackDelivery>> {
  const given = updates.filter(
    ({ delivery }) => (delivery.stems ?? delivery.versions) !== undefined,
  );
  if (given.length === 0) return new Set();
  const rows = await tx.rows<{ rowId: number; stems: number; versions: number }>(
    `SELECT track_row_id AS "rowId", count(*) FILTER (WHERE part = 'stem') AS stems,
       count(*) FILTER (WHERE part = 'version') AS versions
     FROM track_parts WHERE track_row_id = ANY($1::bigint[]) GROUP BY track_row_id`,
    [given.map(({ rowId }) => rowId)],
  );
  const counts = new Map(rows.map((row) => [row.rowId, row]));
  const crowding = given.filter(({ rowId, delivery }) =>
    isCrowded(delivery, counts.get(rowId) ?? { stems: 0, versions: 0 }),
  );
  return new Set(crowding.map(({ delivery }) => delivery));
}

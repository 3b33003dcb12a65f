import type { Transaction } from '../../../../engines/sql/postgres/database.ts';
import type { FormerTrack } from '../../batches.ts';
import type { TrackDelivery } from '../../track.ts';
import {
  type DeliveredLists,
  type DeliveredPart,
  identifiedParts,
  isCrowded,
  NO_PARTS,
  PART_LISTS,
  PART_WORDS,
  type PartChanges,
  type PartsByList,
  type PartWord,
  partChanges,
} from '../../track-parts.ts';
import { deliveredLists, listsOf } from '../former-parts.ts';

/** The lists of parts of a track to be written. */
interface WrittenParts {
  rowId: number;
  /** The id of the track. */
  id: string;
  /** An absent list stays. */
  lists: DeliveredLists;
}

/** The delivery of a stored track. */
interface Update {
  rowId: number;
  delivery: TrackDelivery;
}

function namesParts({ delivery: { stems, versions } }: Update): boolean {
  return (stems ?? versions) !== undefined;
}

/** Returns the parts of tracks by the row id of the track. A track without parts is absent. */
async function storedParts(
  tx: Transaction,
  trackRowIds: readonly number[],
): Promise<Map<number, PartsByList<DeliveredPart>>> {
  const found = new Map<number, Record<'stems' | 'versions', DeliveredPart[]>>();
  if (trackRowIds.length === 0) return found;
  const rows = await tx.rows<DeliveredPart & { trackRowId: number; part: PartWord }>(
    `SELECT track_row_id AS "trackRowId", part, kind, name, duration_seconds AS "durationSeconds",
       audio_key AS "audioKey", size_bytes AS "sizeBytes"
     FROM track_parts WHERE track_row_id = ANY($1::bigint[]) ORDER BY track_row_id, part, position`,
    [trackRowIds],
  );
  for (const { trackRowId, part, ...delivered } of rows) {
    const parts = found.get(trackRowId) ?? { stems: [], versions: [] };
    found.set(trackRowId, parts);
    parts[part === 'stem' ? 'stems' : 'versions'].push(delivered);
  }
  return found;
}

/** Returns the deliveries that would give stored tracks more parts than they may have. */
export async function crowdingDeliveries(
  tx: Transaction,
  updates: readonly Update[],
): Promise<Set<TrackDelivery>> {
  const given = updates.filter(namesParts);
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

/** Adds the parts of tracks that have none in these lists. */
export async function addParts(tx: Transaction, tracks: readonly WrittenParts[]): Promise<void> {
  const rows = tracks.flatMap(({ rowId, id: trackId, lists }) =>
    PART_LISTS.flatMap((list) =>
      identifiedParts(trackId, list, lists[list] ?? []).map((part, position) => {
        const { id, kind, name, durationSeconds, audioKey, sizeBytes } = part;
        const values = [kind, name, durationSeconds, audioKey, sizeBytes, position];
        return [id, rowId, PART_WORDS[list], ...values];
      }),
    ),
  );
  if (rows.length === 0) return;
  await tx.copy(
    'track_parts (id, track_row_id, part, kind, name, duration_seconds, audio_key, size_bytes, position)',
    rows,
  );
}

/** Gives tracks these parts instead of those that they have. */
export async function replaceParts(
  tx: Transaction,
  tracks: readonly WrittenParts[],
): Promise<void> {
  for (const list of PART_LISTS) {
    const rowIds = tracks.flatMap(({ rowId, lists }) => (lists[list] ? [rowId] : []));
    if (rowIds.length > 0) {
      await tx.run('DELETE FROM track_parts WHERE track_row_id = ANY($1::bigint[]) AND part = $2', [
        rowIds,
        PART_WORDS[list],
      ]);
    }
  }
  await addParts(tx, tracks);
}

/** Returns how deliveries change the parts of stored tracks, by row id. */
export async function partChangesOf(
  tx: Transaction,
  updates: readonly Update[],
): Promise<Map<number, PartChanges>> {
  const given = updates.filter(namesParts);
  const stored = await storedParts(
    tx,
    given.map(({ rowId }) => rowId),
  );
  const changes = new Map<number, PartChanges>();
  for (const { rowId, delivery } of given) {
    const change = partChanges(delivery, stored.get(rowId) ?? NO_PARTS);
    if (change !== undefined) changes.set(rowId, change);
  }
  return changes;
}

/** Gives tracks the parts that a batch kept of them. Returns what this changes, by row id. */
export async function putPartsBack(
  tx: Transaction,
  tracks: readonly { rowId: number; id: string; former: FormerTrack }[],
): Promise<Map<number, PartChanges>> {
  const changed = new Map<number, PartChanges>();
  const written: WrittenParts[] = [];
  const stored = await storedParts(
    tx,
    tracks.map(({ rowId }) => rowId),
  );
  for (const { rowId, id, former } of tracks) {
    const changes = partChanges(deliveredLists(former), stored.get(rowId) ?? NO_PARTS);
    if (changes === undefined) continue;
    changed.set(rowId, changes);
    written.push({ rowId, id, lists: listsOf(changes) });
  }
  await replaceParts(tx, written);
  return changed;
}

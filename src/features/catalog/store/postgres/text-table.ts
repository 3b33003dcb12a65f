import type { Transaction } from '../../../../engines/sql/postgres/database.ts';
import { parseStored } from '../../../../engines/sql/stored-value.ts';
import { type TextChange, type TrackText, textChange } from '../../../languages/translations.ts';
import type { TrackDelivery } from '../../track.ts';

/** The translations of tracks, by the row id of the track. */
export type TextsByTrack = ReadonlyMap<number, readonly TrackText[]>;

/** Returns the translations of tracks. A track without any is absent. */
async function storedTexts(tx: Transaction, trackRowIds: readonly number[]): Promise<TextsByTrack> {
  const found = new Map<number, TrackText[]>();
  if (trackRowIds.length === 0) return found;
  const rows = await tx.rows<TextRow>(
    `SELECT track_row_id AS "trackRowId", language, name, tags
     FROM track_texts WHERE track_row_id = ANY($1::bigint[]) ORDER BY track_row_id, language`,
    [trackRowIds],
  );
  for (const { trackRowId, language, name, tags } of rows) {
    const text = { language, name, tags: tags === null ? null : parseStored<string[]>(tags) };
    const texts = found.get(trackRowId);
    if (texts === undefined) found.set(trackRowId, [text]);
    else texts.push(text);
  }
  return found;
}

/** Adds the translations of tracks that have none. */
export async function addTexts(tx: Transaction, texts: TextsByTrack): Promise<void> {
  const rows = [...texts].flatMap(([trackRowId, list]) =>
    list.map(({ language, name, tags }) => [
      trackRowId,
      language,
      name,
      tags === null ? null : JSON.stringify(tags),
    ]),
  );
  if (rows.length === 0) return;
  await tx.copy('track_texts (track_row_id, language, name, tags)', rows);
}

/** Gives tracks these translations instead of those that they have. */
export async function replaceTexts(tx: Transaction, texts: TextsByTrack): Promise<void> {
  if (texts.size === 0) return;
  await tx.run('DELETE FROM track_texts WHERE track_row_id = ANY($1::bigint[])', [
    [...texts.keys()],
  ]);
  await addTexts(tx, texts);
}

/** Returns the translations of new tracks, whose row ids begin at `nextRowId`. */
export function newTexts(
  creations: readonly { delivery: TrackDelivery }[],
  nextRowId: number,
): TextsByTrack {
  return new Map(
    creations.flatMap(({ delivery: { translations } }, i) =>
      translations === undefined ? [] : [[nextRowId + i, translations] as const],
    ),
  );
}

/** Returns how deliveries change the translations of stored tracks, by row id. */
export async function textChanges(
  tx: Transaction,
  updates: readonly { rowId: number; delivery: TrackDelivery }[],
): Promise<Map<number, TextChange>> {
  const given = updates.filter(({ delivery }) => delivery.translations !== undefined);
  const stored = await storedTexts(
    tx,
    given.map(({ rowId }) => rowId),
  );
  const changes = new Map<number, TextChange>();
  for (const { rowId, delivery } of given) {
    const change = textChange(delivery.translations!, stored.get(rowId) ?? []);
    if (change !== undefined) changes.set(rowId, change);
  }
  return changes;
}

type TextRow = { trackRowId: number; language: string; name: string; tags: string | null };

import type { Transaction } from '../../../../engines/sql/postgres/database.ts';
import { parseStored } from '../../../../engines/sql/stored-value.ts';
import { TRANSLATIONS, type TrackText } from '../../../languages/translations.ts';
import type { FormerTrack } from '../../batches.ts';
import type { TrackDelivery } from '../../track.ts';
import type { Writer } from '../../writers.ts';
import type { ListChanges } from '../former-lists.ts';
import { changedLists, listsOf } from '../former-parts.ts';
import { addParts, partChangesOf, putPartsBack, replaceParts } from './part-table.ts';
import { addTexts, newTexts, replaceTexts, textChanges } from './text-table.ts';
import { addWriters, newWriters, replaceWriters, writerChanges } from './writer-table.ts';

/** The delivery of a stored track. */
interface Update {
  rowId: number;
  delivery: TrackDelivery;
}

/** Adds the writers, parts and translations of new tracks, whose row ids begin at `nextRowId`. */
export async function addLists(
  tx: Transaction,
  creations: readonly { delivery: TrackDelivery }[],
  nextRowId: number,
): Promise<void> {
  await addWriters(tx, newWriters(creations, nextRowId));
  await addParts(
    tx,
    creations.map(({ delivery }, i) => ({
      rowId: nextRowId + i,
      id: delivery.id,
      lists: delivery,
    })),
  );
  await addTexts(tx, newTexts(creations, nextRowId));
}

/** Returns how deliveries change the writers, parts and translations of stored tracks, by row id. */
export async function listChanges(
  tx: Transaction,
  updates: readonly Update[],
): Promise<Map<number, ListChanges>> {
  const writers = await writerChanges(tx, updates);
  const parts = await partChangesOf(tx, updates);
  const texts = await textChanges(tx, updates);
  const changed = new Set([...writers.keys(), ...parts.keys(), ...texts.keys()]);
  return new Map(
    [...changed].map((rowId) => [
      rowId,
      { writers: writers.get(rowId), parts: parts.get(rowId), texts: texts.get(rowId) },
    ]),
  );
}

/** Writes the changes of the lists of tracks. */
export async function replaceLists(
  tx: Transaction,
  updates: readonly Update[],
  changes: ReadonlyMap<number, ListChanges>,
): Promise<void> {
  const all = updates.flatMap(({ rowId, delivery: { id } }) => {
    const changed = changes.get(rowId);
    return changed === undefined ? [] : [{ rowId, id, ...changed }];
  });
  await replaceWriters(
    tx,
    new Map(all.flatMap(({ rowId, writers }) => (writers ? [[rowId, writers.after]] : []))),
  );
  await replaceParts(
    tx,
    all.flatMap(({ rowId, id, parts }) => (parts ? [{ rowId, id, lists: listsOf(parts) }] : [])),
  );
  await replaceTexts(
    tx,
    new Map(all.flatMap(({ rowId, texts }) => (texts ? [[rowId, texts.after]] : []))),
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
  await replaceWriters(
    tx,
    new Map(
      tracks.flatMap(({ rowId, former: { writers } }) =>
        writers === null ? [] : [[rowId, parseStored<Writer[]>(writers)]],
      ),
    ),
  );
  const parts = await putPartsBack(tx, tracks);
  const texts = new Map(
    tracks.flatMap(({ rowId, former: { translations } }) =>
      translations === null ? [] : [[rowId, parseStored<TrackText[]>(translations)]],
    ),
  );
  await replaceTexts(tx, texts);
  return new Map(
    tracks.map(({ rowId }) => [
      rowId,
      [...changedLists(parts.get(rowId)), ...(texts.has(rowId) ? [TRANSLATIONS] : [])],
    ]),
  );
}

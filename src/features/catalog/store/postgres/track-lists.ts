import type { Transaction } from '../../../../engines/sql/postgres/database.ts';
import { parseStored } from '../../../../engines/sql/stored-value.ts';
import { TRANSLATIONS, type TrackText, textChange } from '../../../languages/translations.ts';
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
import { mergedWriters, type Writer, writerChange } from '../../writers.ts';
import { changedLists, deliveredLists, type ListChanges, listsOf } from '../delivered-change.ts';

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
  const tracks = creations.map(({ delivery }, i) => ({ rowId: nextRowId + i, delivery }));
  await addWriters(
    tx,
    new Map(
      tracks.flatMap(({ rowId, delivery: { writers } }) =>
        writers === undefined ? [] : [[rowId, mergedWriters(writers, [])]],
      ),
    ),
  );
  await addParts(
    tx,
    tracks.map(({ rowId, delivery }) => ({ rowId, id: delivery.id, lists: delivery })),
  );
  await addTexts(
    tx,
    new Map(
      tracks.flatMap(({ rowId, delivery: { translations } }) =>
        translations === undefined ? [] : [[rowId, translations]],
      ),
    ),
  );
}

/** Returns how deliveries change the writers, parts and translations of stored tracks, by row id. */
export async function listChanges(
  tx: Transaction,
  updates: readonly Update[],
): Promise<Map<number, ListChanges>> {
  const changes = async <Lists, Change>(
    isGiven: (update: Update) => boolean,
    read: (tx: Transaction, rowIds: readonly number[]) => Promise<ReadonlyMap<number, Lists>>,
    change: (delivery: TrackDelivery, stored: Lists | undefined) => Change | undefined,
  ) => {
    const given = updates.filter(isGiven);
    const stored = await read(
      tx,
      given.map(({ rowId }) => rowId),
    );
    return new Map(
      given.flatMap(({ rowId, delivery }) => {
        const changed = change(delivery, stored.get(rowId));
        return changed === undefined ? [] : [[rowId, changed]];
      }),
    );
  };
  const writers = await changes(
    ({ delivery }) => delivery.writers !== undefined,
    storedWriters,
    (delivery, stored = []) => writerChange(delivery.writers!, stored),
  );
  const parts = await changes(namesParts, storedParts, (delivery, stored = NO_PARTS) =>
    partChanges(delivery, stored),
  );
  const texts = await changes(
    ({ delivery }) => delivery.translations !== undefined,
    storedTexts,
    (delivery, stored = []) => textChange(delivery.translations!, stored),
  );
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

type WritersByTrack = ReadonlyMap<number, readonly Writer[]>;

/** Returns what is known of the writers of tracks. A track of which nothing is known is absent. */
async function storedWriters(
  tx: Transaction,
  trackRowIds: readonly number[],
): Promise<WritersByTrack> {
  if (trackRowIds.length === 0) return new Map();
  const rows = await tx.rows<Writer & { trackRowId: number }>(
    `SELECT track_row_id AS "trackRowId", name, role, ipi, society, share
     FROM track_writers WHERE track_row_id = ANY($1::bigint[]) ORDER BY track_row_id, position`,
    [trackRowIds],
  );
  return byTrack(rows, ({ trackRowId: _, ...writer }) => writer);
}

/** Adds the writers of tracks that have none. */
async function addWriters(tx: Transaction, writers: WritersByTrack): Promise<void> {
  const rows = [...writers].flatMap(([trackRowId, list]) =>
    list.map(({ name, role, ipi, society, share }, position) => {
      return [trackRowId, position, name, role, ipi, society, share];
    }),
  );
  if (rows.length === 0) return;
  await tx.copy('track_writers (track_row_id, position, name, role, ipi, society, share)', rows);
}

/** Gives tracks these writers instead of those that they have. */
async function replaceWriters(tx: Transaction, writers: WritersByTrack): Promise<void> {
  if (writers.size === 0) return;
  await tx.run('DELETE FROM track_writers WHERE track_row_id = ANY($1::bigint[])', [
    [...writers.keys()],
  ]);
  await addWriters(tx, writers);
}

/** The lists of parts of a track to be written. */
interface WrittenParts {
  rowId: number;
  /** The id of the track. */
  id: string;
  /** An absent list stays. */
  lists: DeliveredLists;
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
async function addParts(tx: Transaction, tracks: readonly WrittenParts[]): Promise<void> {
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
async function replaceParts(tx: Transaction, tracks: readonly WrittenParts[]): Promise<void> {
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

/** Gives tracks the parts that a batch kept of them. Returns what this changes, by row id. */
async function putPartsBack(
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

type TextsByTrack = ReadonlyMap<number, readonly TrackText[]>;

/** Returns the translations of tracks. A track without any is absent. */
async function storedTexts(tx: Transaction, trackRowIds: readonly number[]): Promise<TextsByTrack> {
  if (trackRowIds.length === 0) return new Map();
  const rows = await tx.rows<TextRow>(
    `SELECT track_row_id AS "trackRowId", language, name, tags
     FROM track_texts WHERE track_row_id = ANY($1::bigint[]) ORDER BY track_row_id, language`,
    [trackRowIds],
  );
  return byTrack(rows, ({ language, name, tags }) => {
    return { language, name, tags: tags === null ? null : parseStored<string[]>(tags) };
  });
}

/** Returns what `make` makes of rows, in their order, by the row id of the track. */
function byTrack<Row extends { trackRowId: number }, Made>(
  rows: readonly Row[],
  make: (row: Row) => Made,
): Map<number, Made[]> {
  const found = Map.groupBy(rows, ({ trackRowId }) => trackRowId);
  return new Map([...found].map(([rowId, ofTrack]) => [rowId, ofTrack.map(make)]));
}

/** Adds the translations of tracks that have none. */
async function addTexts(tx: Transaction, texts: TextsByTrack): Promise<void> {
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
async function replaceTexts(tx: Transaction, texts: TextsByTrack): Promise<void> {
  if (texts.size === 0) return;
  await tx.run('DELETE FROM track_texts WHERE track_row_id = ANY($1::bigint[])', [
    [...texts.keys()],
  ]);
  await addTexts(tx, texts);
}

type TextRow = { trackRowId: number; language: string; name: string; tags: string | null };

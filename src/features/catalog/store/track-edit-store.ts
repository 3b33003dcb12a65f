import { sql } from 'kysely';
import type { Actor } from '../../../common/caller.ts';
import type { Clock } from '../../../common/clock.ts';
import { newId } from '../../../common/ids.ts';
import type { Queries, SqlDatabase } from '../../../engines/sql/database.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import { deliveryOf, type FormerTrack } from '../batches.ts';
import { detectedOf } from '../detected.ts';
import { type TrackDelivery, unknownTrack } from '../track.ts';
import {
  changedEdits,
  type EditableTrack,
  type EditChange,
  withDelivered,
  withEdits,
} from '../track-edits.ts';
import { ReferringRows } from './references.ts';
import { serializedTrack, TRACK_ROW_COLUMNS, type TrackRow } from './track-row.ts';

/** The columns of `FormerTrack` besides the document and the lists, for SELECT. */
const CONTENT = `source, external_id AS "externalId", artwork_key AS "artworkKey", fingerprint,
  coalesce(iswc, '') AS iswc, coalesce(preview_start, -1) AS "previewStart", preview_key AS "previewKey",
  waveform_key AS "waveformKey", coalesce(language, '') AS language, coalesce(availability, '') AS availability`;

/** An edit leaves them as they are. */
const UNCHANGED_LISTS = { writers: null, stems: null, versions: null, translations: null };

type Row = TrackRow & Omit<FormerTrack, 'document'> & { rowId: number; edits: string | null };

interface StoredTrack extends EditableTrack {
  rowId: number;
  /** What was delivered, and what its audio gave. */
  filled: TrackDelivery;
  /** The content of the track now. */
  content: FormerTrack;
}

/** Reads and writes the edits of tracks of any state. */
export class TrackEditStore extends SqlStore {
  readonly #rows: ReferringRows;

  constructor(database: SqlDatabase, clock: Clock) {
    super(database, clock);
    this.#rows = new ReferringRows(database.dialect);
  }

  find(id: string): Promise<EditableTrack | undefined> {
    return this.#find(this.database.queries, id);
  }

  /**
   * Changes the edits of a track, and logs an update of it. Logs and writes nothing if the edits stay the same. Returns
   * the track after it, and whether its edits have changed. Throws not_found.
   */
  edit(id: string, change: EditChange, by: Actor): Promise<EditableTrack & { isChanged: boolean }> {
    return this.database.write(async (transaction) => {
      const { queries, log } = transaction;
      const track = await this.#find(queries, id);
      if (track === undefined) throw unknownTrack(id);
      const { rowId, content } = track;
      const edits = changedEdits(track, change, { by, at: this.clock.now() });
      const after = { ...track, edits, effective: withEdits(track.filled, edits) };
      if (JSON.stringify(edits) === JSON.stringify(track.edits)) {
        return { ...after, isChanged: false };
      }
      await queries.deleteFrom('trackEdits').where('trackRowId', '=', rowId).execute();
      if (Object.keys(edits).length > 0) {
        const row = { trackRowId: rowId, edits: JSON.stringify(edits) };
        await queries.insertInto('trackEdits').values(row).execute();
      }
      // An edit is no batch: nothing stores this one.
      const batch = { by, batchId: newId(), label: '', undoes: null };
      const changed = await transaction.batchWriter(batch).putBack([{ rowId, former: content }]);
      await log('track', [['updated', id, changed.get(rowId)!]], { by, batchId: null });
      return { ...after, isChanged: true };
    });
  }

  async #find(queries: Queries, id: string): Promise<StoredTrack | undefined> {
    const columns = sql.raw(`row_id AS "rowId", ${TRACK_ROW_COLUMNS}, ${CONTENT}, edits`);
    const [track] = await this.#rows.map(
      queries,
      sql<Row>`
        SELECT ${columns} FROM tracks LEFT JOIN track_edits ON track_row_id = row_id WHERE id = ${id}`,
      (row): StoredTrack => {
        const document = withDelivered(serializedTrack(row, this.#rows.references), row.edits);
        const content = { ...row, ...UNCHANGED_LISTS, document };
        const edits = row.edits === null ? {} : parseStored<EditableTrack['edits']>(row.edits);
        const delivered = deliveryOf(content);
        const { rowId, slug, source } = row;
        const filled = { ...delivered, ...detectedOf(row) };
        const effective = withEdits(filled, edits);
        return { rowId, id, slug, source, edits, delivered, filled, effective, content };
      },
    );
    return track;
  }
}

import type { Database } from '../../../../engines/sql/sqlite/database.ts';
import {
  type DeliveredLists,
  type DeliveredPart,
  identifiedParts,
  isCrowded,
  PART_LISTS,
  PART_WORDS,
  type PartsByList,
} from '../../track-parts.ts';

/** Reads and writes the parts of tracks, within the transactions of its caller. */
export class PartTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the parts of a track in their order. */
  of(trackRowId: number): PartsByList<DeliveredPart> {
    const sql = `
      SELECT kind, name, duration_seconds AS durationSeconds, audio_key AS audioKey, size_bytes AS sizeBytes
      FROM track_parts WHERE track_row_id = ? AND part = ? ORDER BY position`;
    const statement = this.#database.prepare(sql);
    const [stems, versions] = PART_LISTS.map((list) =>
      statement.all(trackRowId, PART_WORDS[list]).map((row) => ({ ...row }) as unknown),
    ) as [DeliveredPart[], DeliveredPart[]];
    return { stems, versions };
  }

  /** Whether a delivery would give a track more parts than it may have. */
  isCrowdedBy(delivered: DeliveredLists, trackRowId: number): boolean {
    if ((delivered.stems ?? delivered.versions) === undefined) return false;
    const { stems, versions } = this.of(trackRowId);
    return isCrowded(delivered, { stems: stems.length, versions: versions.length });
  }

  /** Gives a track these parts instead of those that it has. An absent list stays. */
  replace(track: { rowId: number; id: string }, lists: DeliveredLists): void {
    for (const list of PART_LISTS) {
      const parts = lists[list];
      if (parts === undefined) continue;
      this.#database
        .prepare('DELETE FROM track_parts WHERE track_row_id = ? AND part = ?')
        .run(track.rowId, PART_WORDS[list]);
      const insert = this.#database.prepare(
        `INSERT INTO track_parts (id, track_row_id, part, kind, name, duration_seconds, audio_key, size_bytes, position)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      );
      for (const [position, part] of identifiedParts(track.id, list, parts).entries()) {
        const { id, kind, name, durationSeconds, audioKey, sizeBytes } = part;
        const values = [kind, name, durationSeconds, audioKey, sizeBytes, position];
        insert.run(id, track.rowId, PART_WORDS[list], ...values);
      }
    }
  }
}

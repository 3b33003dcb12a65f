import type { Database } from '../../../../engines/sql/sqlite/database.ts';
import { parseStored } from '../../../../engines/sql/stored-value.ts';
import { TRANSLATIONS, type TrackText, textChange } from '../../../languages/translations.ts';
import type { FormerTrack } from '../../batches.ts';
import type { TrackDelivery } from '../../track.ts';
import {
  type DeliveredLists,
  type DeliveredPart,
  identifiedParts,
  isCrowded,
  PART_LISTS,
  PART_WORDS,
  type PartsByList,
  partChanges,
} from '../../track-parts.ts';
import { mergedWriters, type Writer, writerChange } from '../../writers.ts';
import { changedLists, deliveredLists, type ListChanges, listsOf } from '../delivered-change.ts';

interface StoredTrack {
  rowId: number;
  id: string;
}

/**
 * Reads and writes what a track has in tables of its own: writers, parts and translations. Works within the transactions
 * of its caller.
 */
export class TrackLists {
  readonly #writers: WriterTable;
  readonly #parts: PartTable;
  readonly #texts: TextTable;

  constructor(database: Database) {
    this.#writers = new WriterTable(database);
    this.#parts = new PartTable(database);
    this.#texts = new TextTable(database);
  }

  /** Adds the lists of a new track. */
  add(rowId: number, delivery: TrackDelivery): void {
    const { id, writers, stems, versions, translations } = delivery;
    if (writers !== undefined) this.#writers.add(rowId, mergedWriters(writers, []));
    if ((stems ?? versions) !== undefined) this.#parts.replace({ rowId, id }, delivery);
    if (translations !== undefined) this.#texts.add(rowId, translations);
  }

  /** Whether a delivery would give a stored track more parts than it may have. */
  isCrowdedBy(delivery: TrackDelivery, rowId: number): boolean {
    return this.#parts.isCrowdedBy(delivery, rowId);
  }

  /** Returns how a delivery changes the lists of a stored track; undefined if it leaves them as they are. */
  changes(rowId: number, delivery: TrackDelivery): ListChanges | undefined {
    const { writers, stems, versions, translations } = delivery;
    const changes = {
      writers: writers && writerChange(writers, this.#writers.of(rowId)),
      parts:
        (stems ?? versions) === undefined
          ? undefined
          : partChanges(delivery, this.#parts.of(rowId)),
      texts: translations && textChange(translations, this.#texts.of(rowId)),
    };
    return (changes.writers ?? changes.parts ?? changes.texts) === undefined ? undefined : changes;
  }

  replace(track: StoredTrack, { writers, parts, texts }: ListChanges): void {
    if (writers !== undefined) this.#writers.replace(track.rowId, writers.after);
    if (parts !== undefined) this.#parts.replace(track, listsOf(parts));
    if (texts !== undefined) this.#texts.replace(track.rowId, texts.after);
  }

  /** Gives a track the lists that a batch kept of it. Returns the names of those that partners see and that change. */
  putBack(track: StoredTrack, former: FormerTrack): string[] {
    const { writers, translations } = former;
    if (writers !== null) {
      this.#writers.replace(track.rowId, parseStored<Writer[]>(writers));
    }
    const parts = partChanges(deliveredLists(former), this.#parts.of(track.rowId));
    if (parts !== undefined) this.#parts.replace(track, listsOf(parts));
    if (translations === null) return changedLists(parts);
    this.#texts.replace(track.rowId, parseStored<TrackText[]>(translations));
    return [...changedLists(parts), TRANSLATIONS];
  }
}

/** Reads and writes what is known of the writers of tracks, within the transactions of its caller. */
class WriterTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the writers of a track in their order. */
  of(trackRowId: number): Writer[] {
    const sql = `
      SELECT name, role, ipi, society, share FROM track_writers WHERE track_row_id = ? ORDER BY position`;
    return this.#database.prepare(sql).all(trackRowId) as unknown as Writer[];
  }

  /** Adds the writers of a track that has none. */
  add(trackRowId: number, writers: readonly Writer[]): void {
    const statement = this.#database.prepare(
      'INSERT INTO track_writers (track_row_id, position, name, role, ipi, society, share) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    for (const [position, { name, role, ipi, society, share }] of writers.entries()) {
      statement.run(trackRowId, position, name, role, ipi, society, share);
    }
  }

  /** Gives a track these writers instead of those that it has. */
  replace(trackRowId: number, writers: readonly Writer[]): void {
    this.#database.prepare('DELETE FROM track_writers WHERE track_row_id = ?').run(trackRowId);
    this.add(trackRowId, writers);
  }
}

/** Reads and writes the parts of tracks, within the transactions of its caller. */
class PartTable {
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

/** Reads and writes the translations of tracks, within the transactions of its caller. */
class TextTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the translations of a track in the order of their languages. */
  of(trackRowId: number): TrackText[] {
    const sql = `
      SELECT language, name, tags FROM track_texts WHERE track_row_id = ? ORDER BY language`;
    const rows = this.#database.prepare(sql).all(trackRowId) as unknown as TextRow[];
    return rows.map(({ tags, ...text }) => ({
      ...text,
      tags: tags === null ? null : parseStored<string[]>(tags),
    }));
  }

  /** Adds the translations of a track that has none. */
  add(trackRowId: number, texts: readonly TrackText[]): void {
    const statement = this.#database.prepare(
      'INSERT INTO track_texts (track_row_id, language, name, tags) VALUES (?, ?, ?, ?)',
    );
    for (const { language, name, tags } of texts) {
      statement.run(trackRowId, language, name, tags && JSON.stringify(tags));
    }
  }

  /** Gives a track these translations instead of those that it has. */
  replace(trackRowId: number, texts: readonly TrackText[]): void {
    this.#database.prepare('DELETE FROM track_texts WHERE track_row_id = ?').run(trackRowId);
    this.add(trackRowId, texts);
  }
}

type TextRow = Omit<TrackText, 'tags'> & { tags: string | null };

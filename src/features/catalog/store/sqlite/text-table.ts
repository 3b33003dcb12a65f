import type { Database } from '../../../../engines/sql/sqlite/database.ts';
import { parseStored } from '../../../../engines/sql/stored-value.ts';
import type { TrackText } from '../../../languages/translations.ts';

/** Reads and writes the translations of tracks, within the transactions of its caller. */
export class TextTable {
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

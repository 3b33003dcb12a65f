import type { Database } from '../../../../engines/sql/sqlite/database.ts';
import type { Writer } from '../../writers.ts';

/** Reads and writes what is known of the writers of tracks, within the transactions of its caller. */
export class WriterTable {
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

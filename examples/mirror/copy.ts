import { DatabaseSync } from 'node:sqlite';

/** Members with signed URLs, which expire, so that a copy leaves them out. */
const SIGNED = ['streamUrl', 'streamUrlExpiresAt'];

/** A track at a version. `track` is null if it is not available any more. */
export type Change = { trackId: string; version: number; track: object | null };

/** The copy, in a SQLite file. The tracks and the position change in one transaction. */
export class Copy {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    // Another process may read the copy while this one begins.
    this.#database = new DatabaseSync(path, { timeout: 10_000 });
    // `round` counts the snapshots. A track has the number of the one that its version belongs to.
    this.#database.exec(`
      PRAGMA journal_mode = WAL;
      CREATE TABLE IF NOT EXISTS position (round INTEGER NOT NULL, cursor TEXT, resume TEXT);
      INSERT INTO position SELECT 0, NULL, NULL WHERE NOT EXISTS (SELECT * FROM position);
      CREATE TABLE IF NOT EXISTS tracks (
        id TEXT PRIMARY KEY, version INTEGER NOT NULL, round INTEGER NOT NULL, track TEXT);`);
  }

  /** `cursor` is null until a snapshot is complete. `resume` is the last mark of an incomplete one. */
  position(): { cursor: string | null; resume: string | null } {
    const row = this.#database.prepare('SELECT cursor, resume FROM position').get();
    return row as { cursor: string | null; resume: string | null };
  }

  /** Begins another snapshot. The tracks of the one before stay until it is complete. */
  startOver(): void {
    this.#database.exec('UPDATE position SET round = round + 1, cursor = NULL, resume = NULL');
  }

  /** Stores changes, except those that the copy contains. After a restore, a snapshot has lower versions. */
  store(changes: readonly Change[], cursor: string | null, resume: string | null): void {
    const store = this.#database.prepare(`
      INSERT INTO tracks SELECT ?, ?, round, ? FROM position WHERE true
      ON CONFLICT DO UPDATE
      SET version = excluded.version, round = excluded.round, track = excluded.track
      WHERE excluded.round > round OR excluded.version > version`);
    const unsigned = (name: string, value: unknown) => (SIGNED.includes(name) ? undefined : value);
    this.#database.exec('BEGIN IMMEDIATE');
    for (const { trackId, version, track } of changes) {
      store.run(trackId, version, track && JSON.stringify(track, unsigned));
    }
    if (cursor !== null && this.position().cursor === null) {
      // The snapshot is complete, and lacks the tracks that only an earlier one had.
      this.#database.exec('DELETE FROM tracks WHERE round < (SELECT round FROM position)');
    }
    this.#database.prepare('UPDATE position SET cursor = ?, resume = ?').run(cursor, resume);
    this.#database.exec('COMMIT');
  }
}

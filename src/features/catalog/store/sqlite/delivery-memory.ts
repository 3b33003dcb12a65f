import type { Database } from '../../../../engines/sql/sqlite/database.ts';
import { LIVE_OR_UNAVAILABLE } from '../../../availability/store/track-period.ts';

/**
 * The settings of a connection for an import, and its temporary tables. A rollback must also undo the writes
 * to them, so there is a journal. It is in memory and contains at most one batch.
 */
export const SETTINGS_AND_TABLES = `
  PRAGMA temp.journal_mode = MEMORY;
  PRAGMA temp.cache_size = -4096;
  -- The row ids of the tracks that the import created: one range for each transaction, both ends included.
  CREATE TEMP TABLE created (first INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT;
  -- The other tracks that it delivered. By row id, because row ids come almost in order. A random key would
  -- cost three times as much.
  CREATE TEMP TABLE delivered (track_row_id INTEGER PRIMARY KEY, fingerprint BLOB NOT NULL) STRICT;
  -- Tracks whose records were rejected.
  CREATE TEMP TABLE listed (track_row_id INTEGER PRIMARY KEY) STRICT;
  -- Tracks that a preview would create.
  CREATE TEMP TABLE previewed (id TEXT PRIMARY KEY, fingerprint BLOB NOT NULL)
  STRICT, WITHOUT ROWID`;

/** The end of the range of created tracks that begins before a track or with it. */
const LAST_CREATED = (rowId: string) =>
  `(SELECT last FROM temp.created WHERE first <= ${rowId} ORDER BY first DESC LIMIT 1)`;

const IS_DELIVERED = `(coalesce(${LAST_CREATED('tracks.row_id')} >= tracks.row_id, 0)
  OR EXISTS (SELECT 1 FROM temp.delivered WHERE track_row_id = tracks.row_id))`;

/** The condition for tracks of a source that are live in their periods, and that the import has not seen. */
export const ABSENT = `source = ? AND ${LIVE_OR_UNAVAILABLE} AND NOT ${IS_DELIVERED}
  AND NOT EXISTS (SELECT 1 FROM temp.listed WHERE track_row_id = tracks.row_id)`;

/** The condition for tracks that the import has delivered and that stay down. */
export const DOWN = `state = 'taken_down' AND NOT withdrawn AND ${IS_DELIVERED}`;

interface Seen {
  rowId: number;
  /** Of the last delivery that was written. */
  fingerprint: Uint8Array;
}

/** Remembers in temporary tables which tracks one import has seen, so that its memory does not grow. */
export class DeliveryMemory {
  readonly #database: Database;
  /** The range of tracks that the current transaction created; undefined if there are none. */
  #created: { first: number; last: number } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Call this first in each transaction that delivers. */
  begin(): void {
    this.#created = undefined;
  }

  /** Must be called with each new track, in the order of row ids. */
  rememberCreated(rowId: number): void {
    if (this.#created === undefined) this.#created = { first: rowId, last: rowId };
    else this.#created.last = rowId;
  }

  /** Call this last in each transaction that delivers. */
  end(): void {
    if (this.#created === undefined) return;
    const { first, last } = this.#created;
    this.#database.prepare('INSERT INTO temp.created VALUES (?, ?)').run(first, last);
    this.#created = undefined;
  }

  /** Whether the import has delivered the track before. */
  hasDelivered(rowId: number): boolean {
    return this.#hasCreated(rowId) || this.#recall(DELIVERED, rowId) !== undefined;
  }

  /**
   * Returns the outcome of a repeated record of a stored track; for the first record, remembers it and
   * returns undefined.
   */
  repetition(track: Seen, fingerprint: Buffer): Repetition | undefined {
    return this.#hasCreated(track.rowId)
      ? repeated(track.fingerprint, fingerprint)
      : this.#remember(DELIVERED, track.rowId, fingerprint);
  }

  /** Does what `repetition` does for a track that a preview would create. */
  repetitionOfPreviewed(id: string, fingerprint: Buffer): Repetition | undefined {
    return this.#remember(PREVIEWED, id, fingerprint);
  }

  /** Remembers tracks whose records were rejected. Ignores unknown ids. */
  list(ids: readonly string[]): void {
    const sql = `
      INSERT INTO temp.listed SELECT row_id FROM tracks WHERE id IN (SELECT value FROM json_each(?))
      ON CONFLICT DO NOTHING`;
    this.#database.prepare(sql).run(JSON.stringify(ids));
  }

  #hasCreated(rowId: number): boolean {
    if (this.#created !== undefined && rowId >= this.#created.first) return true;
    const row = this.#database.prepare(`SELECT ${LAST_CREATED('?')} AS last`).get(rowId);
    return row!.last !== null && (row!.last as number) >= rowId;
  }

  #remember(
    { remember, recall }: RememberedTable,
    key: string | number,
    fingerprint: Buffer,
  ): Repetition | undefined {
    const { changes } = this.#database.prepare(remember).run(key, fingerprint);
    return changes === 1 ? undefined : repeated(this.#recall({ recall }, key)!, fingerprint);
  }

  #recall({ recall }: Pick<RememberedTable, 'recall'>, key: string | number) {
    return this.#database.prepare(recall).get(key)?.fingerprint as Uint8Array | undefined;
  }
}

/** The outcome of a repeated record: equal to the first one of its track, or not. */
type Repetition = 'unchanged' | 'duplicate';

function repeated(first: Uint8Array, fingerprint: Buffer): Repetition {
  return fingerprint.equals(first) ? 'unchanged' : 'duplicate';
}

interface RememberedTable {
  remember: string;
  recall: string;
}

const DELIVERED: RememberedTable = {
  remember: 'INSERT INTO temp.delivered VALUES (?, ?) ON CONFLICT DO NOTHING',
  recall: 'SELECT fingerprint FROM temp.delivered WHERE track_row_id = ?',
};

const PREVIEWED: RememberedTable = {
  remember: 'INSERT INTO temp.previewed VALUES (?, ?) ON CONFLICT DO NOTHING',
  recall: 'SELECT fingerprint FROM temp.previewed WHERE id = ?',
};

import type { Clock } from '../../../../common/clock.ts';
import type { BatchChange, Cause } from '../../../../engines/sql/logged-change.ts';
import type { Database } from '../../../../engines/sql/sqlite/database.ts';
import { TRACK_STATE } from '../../../availability/store/track-period.ts';
import { batchCounts } from '../delivered-change.ts';
import { type GivenLists, serializedLists } from '../track-lists.ts';

/**
 * Records what one batch does, within the transactions that do it: the row of the batch, which is created
 * with its first change, and the former values of each track. A call costs a few microseconds.
 */
export class BatchRecorder {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #cause: Cause & { label?: string };
  readonly #undoes: number | null;
  #rowId: number | undefined;

  /** `undoes` is the row id of the batch that this one undoes. */
  constructor(
    database: Database,
    clock: Clock,
    cause: Cause & { label?: string },
    undoes: number | null = null,
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#cause = cause;
    this.#undoes = undoes;
  }

  /**
   * Returns the row id of the batch. Call this before the first row of the batch is appended to the change
   * log.
   */
  rowId(): number {
    if (this.#rowId === undefined) {
      const { by, batchId, label = '' } = this.#cause;
      const sql = `
        INSERT INTO import_batches (id, at, by, label, first_seq, last_seq, undoes)
        VALUES (?1, ?2, ?3, ?4, ${HEAD} + 1, ${HEAD}, ?5)
        ON CONFLICT (id) DO UPDATE SET id = excluded.id RETURNING row_id AS rowId`;
      const row = this.#database
        .prepare(sql)
        .get(batchId, this.#clock.now(), by, label, this.#undoes);
      this.#rowId = row!.rowId as number;
    }
    return this.#rowId;
  }

  /** Call this when a transaction was rolled back. */
  forget(): void {
    this.#rowId = undefined;
  }

  /**
   * Stores the former values of a track. Call this before it is changed. `document` is its serialized `Track`;
   * null if only its state is changed. `lists` are those that are changed.
   */
  keep(trackRowId: number, document: string | null, lists: GivenLists = {}): void {
    const { writers, stems, versions, translations } = serializedLists(lists);
    const sql = `
      INSERT INTO former_tracks (batch_row_id, track_row_id, former_batch_row_id, source, external_id, audio_key,
        artwork_key, fingerprint, document, iswc, writers, preview_start, preview_key, waveform_key, stems, versions,
        language, translations, availability, state)
      SELECT ?, row_id, batch_row_id, source, external_id, audio_key, artwork_key, fingerprint, ?,
        coalesce(iswc, ''), ?, coalesce(preview_start, -1), preview_key, waveform_key, ?, ?,
        coalesce(language, ''), ?, coalesce(availability, ''), ${TRACK_STATE}
      FROM tracks WHERE row_id = ? ON CONFLICT DO NOTHING`;
    this.#database
      .prepare(sql)
      .run(this.rowId(), document, writers, stems, versions, translations, trackRowId);
  }

  /** Call this once in each transaction, after its changes were logged. */
  count(changes: readonly BatchChange[]): void {
    if (changes.length === 0) return;
    const sql = `
      UPDATE import_batches SET created = created + ?, updated = updated + ?,
        withdrawn = withdrawn + ?, restored = restored + ?, last_seq = ${HEAD}
      WHERE row_id = ?`;
    const { created, updated, withdrawn, restored } = batchCounts(changes);
    this.#database.prepare(sql).run(created, updated, withdrawn, restored, this.rowId());
  }
}

/** The last `seq` of the log. */
const HEAD = "(SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'change_log')";

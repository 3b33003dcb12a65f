import { sql as kysely } from 'kysely';
import type { Clock } from '../../../../common/clock.ts';
import type { BatchChange, Cause } from '../../../../engines/sql/logged-change.ts';
import type { Transaction } from '../../../../engines/sql/postgres/database.ts';
import { postgresDialect, queriesIn } from '../../../../engines/sql/postgres/sql-database.ts';
import { TRACK_STATE } from '../../../availability/store/track-period.ts';
import { withDelivered } from '../../track-edits.ts';
import { batchCounts } from '../delivered-change.ts';
import { ReferringRows } from '../references.ts';
import { type GivenLists, serializedLists } from '../track-lists.ts';
import { serializedTrack, TRACK_ROW_COLUMNS, type TrackRow } from '../track-row.ts';

/**
 * Records what one batch does, within the transactions that do it: the row of the batch, which is created
 * with its first change, and the former values of each track.
 */
export class BatchRecorder {
  readonly #clock: Clock;
  readonly #cause: Cause & { label: string };
  readonly #undoes: number | null;
  readonly #rows = new ReferringRows(postgresDialect);
  #rowId: number | undefined;

  /** `undoes` is the row id of the batch that this one undoes. */
  constructor(clock: Clock, cause: Cause & { label: string }, undoes: number | null = null) {
    this.#clock = clock;
    this.#cause = cause;
    this.#undoes = undoes;
  }

  /**
   * Returns the row id of the batch. Call this before the first row of the batch is appended to the change
   * log.
   */
  async rowId(tx: Transaction): Promise<number> {
    if (this.#rowId === undefined) {
      const { by, batchId, label } = this.#cause;
      const sql = `
        INSERT INTO import_batches (id, at, by, label, first_seq, last_seq, undoes)
        SELECT $1, $2, $3, $4, seq + 1, seq, $5 FROM change_log_head
        ON CONFLICT (id) DO UPDATE SET id = excluded.id RETURNING row_id AS "rowId"`;
      const values = [batchId, this.#clock.now(), by, label, this.#undoes];
      this.#rowId = (await tx.rows<{ rowId: number }>(sql, values))[0]!.rowId;
    }
    return this.#rowId;
  }

  /** Call this when a transaction was rolled back. */
  forget(): void {
    this.#rowId = undefined;
  }

  /**
   * Stores the former values of tracks, for some with the document, and for some with lists by row id. Call this
   * before they are changed.
   */
  async keep(
    tx: Transaction,
    trackRowIds: readonly number[],
    withContent: readonly number[],
    lists: ReadonlyMap<number, GivenLists> = new Map(),
  ): Promise<void> {
    if (trackRowIds.length === 0) return;
    const documents = await this.#documents(tx, withContent);
    const sql = `
      INSERT INTO former_tracks (batch_row_id, track_row_id, former_batch_row_id, source, external_id, audio_key,
        artwork_key, fingerprint, document, iswc, writers, preview_start, preview_key, waveform_key, stems, versions,
        language, translations, availability, state)
      SELECT $1, row_id, batch_row_id, source, external_id, audio_key, artwork_key, fingerprint, kept.document,
        coalesce(iswc, ''), kept.writers, coalesce(preview_start, -1), preview_key, waveform_key,
        kept.stems, kept.versions, coalesce(language, ''), kept.translations,
        coalesce(availability, ''), ${TRACK_STATE}
      FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
        AS kept (track_row_id, document, writers, stems, versions, translations)
      JOIN tracks ON row_id = kept.track_row_id ON CONFLICT DO NOTHING`;
    const former = trackRowIds.map((rowId) => serializedLists(lists.get(rowId) ?? {}));
    await tx.rows(sql, [
      await this.rowId(tx),
      trackRowIds,
      trackRowIds.map((rowId) => documents.get(rowId) ?? null),
      former.map(({ writers }) => writers),
      former.map(({ stems }) => stems),
      former.map(({ versions }) => versions),
      former.map(({ translations }) => translations),
    ]);
  }

  async #documents(tx: Transaction, trackRowIds: readonly number[]): Promise<Map<number, string>> {
    if (trackRowIds.length === 0) return new Map();
    const columns = kysely.raw(`row_id AS "rowId", ${TRACK_ROW_COLUMNS}, edits`);
    const ofTracks = postgresDialect.isOneOf(kysely.raw('row_id'), trackRowIds);
    const documents = await this.#rows.map(
      queriesIn(tx),
      kysely<TrackRow & { rowId: number; edits: string | null }>`
        SELECT ${columns} FROM tracks LEFT JOIN track_edits ON track_row_id = row_id WHERE ${ofTracks}`,
      (row) => {
        const document = serializedTrack(row, this.#rows.references);
        return [row.rowId, withDelivered(document, row.edits)] as const;
      },
    );
    return new Map(documents);
  }

  /** Call this once in each transaction, after its changes were logged. */
  async count(tx: Transaction, changes: readonly BatchChange[]): Promise<void> {
    if (changes.length === 0) return;
    const sql = `
      UPDATE import_batches SET created = created + $2, updated = updated + $3,
        withdrawn = withdrawn + $4, restored = restored + $5,
        last_seq = (SELECT seq FROM change_log_head)
      WHERE row_id = $1`;
    const { created, updated, withdrawn, restored } = batchCounts(changes);
    await tx.rows(sql, [await this.rowId(tx), created, updated, withdrawn, restored]);
  }
}

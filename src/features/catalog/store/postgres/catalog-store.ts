import type { Actor } from '../../../../common/caller.ts';
import type { Clock } from '../../../../common/clock.ts';
import type { IndexEntry, RowIdRange } from '../../../../engines/search/catalog-index.ts';
import type { Database, Row } from '../../../../engines/sql/postgres/database.ts';
import { PostgresSqlDatabase } from '../../../../engines/sql/postgres/sql-database.ts';
import type { ChosenState } from '../../../availability/availability.ts';
import { TRACK_STATE } from '../../../availability/store/track-period.ts';
import {
  ALL_ROWS,
  type CatalogCounts,
  type CatalogStore,
  type DeliverySession,
  type LiveDocument,
  type PartAudio,
  type TrackAudio,
  type TrackRecord,
  type TrackWithParts,
} from '../../catalog-stores.ts';
import type { DocumentParts, FilterText } from '../../document-copy.ts';
import type { Filter } from '../../track.ts';
import type { TextDocument } from '../../track-document.ts';
import { MEDIA_COLUMNS, partMediaKeys, renditionMediaKeys } from '../media-keys.ts';
import { partAudio, trackParts } from '../part-queries.ts';
import { SourceRemoval } from '../source-removal.ts';
import { nameOf, TrackNames } from '../track-names.ts';
import {
  type RecordRow,
  TRACK_RECORD_COLUMNS,
  TRACK_ROW_COLUMNS,
  trackRecordOf,
} from '../track-row.ts';
import { TrackStates } from '../track-states.ts';
import { readAllDocuments, readFilterTexts, readLiveDocuments } from './all-documents.ts';
import { PostgresDeliverySession } from './delivery.ts';
import { IndexEntryReader } from './index-entries.ts';
import { ReferringRows } from './referring-rows.ts';
import { DocumentReader } from './track-documents.ts';
import { batchWriter } from './track-writer.ts';

/** The number of tracks that one step of a walk over the whole catalog reads. */
const WALK_SLICE = 5_000;

/** The catalog on PostgreSQL. */
export class PostgresCatalogStore implements CatalogStore {
  readonly #database: Database;
  readonly #sqlDatabase: PostgresSqlDatabase;
  readonly #clock: Clock;
  readonly #rows = new ReferringRows();
  readonly #entries: IndexEntryReader;
  readonly #documents = new DocumentReader(this.#rows);

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#sqlDatabase = new PostgresSqlDatabase(database, clock, batchWriter);
    this.#clock = clock;
    this.#entries = new IndexEntryReader(database, this.#rows);
  }

  openDelivery(by: Actor, batchId: string, label = ''): Promise<DeliverySession> {
    return PostgresDeliverySession.open(this.#database, this.#clock, { by, batchId, label });
  }

  document(slugOrId: string): Promise<TextDocument | undefined> {
    const { column, key } = nameOf(slugOrId);
    return this.#documents.byName(this.#database, column, key);
  }

  documents(rowIds: readonly number[]): Promise<(TextDocument | undefined)[]> {
    return this.#documents.byRowId(this.#database, rowIds);
  }

  indexEntries(ids: readonly string[]): Promise<IndexEntry[]> {
    return this.#entries.of(ids);
  }

  async *allIndexEntries({ after, upTo }: RowIdRange = ALL_ROWS): AsyncIterable<IndexEntry[]> {
    let slice = await this.#entries.after(after, upTo, WALK_SLICE);
    while (slice.length > 0) {
      // Reads the next slice while the caller processes this one.
      const next = this.#entries.after(slice.at(-1)!.rowId, upTo, WALK_SLICE);
      // A caller that stops early does not wait for this read, so its error must be handled here.
      next.catch(() => {});
      yield slice;
      slice = await next;
    }
  }

  allDocuments(): AsyncIterable<DocumentParts[]> {
    return readAllDocuments(this.#database, this.#rows);
  }

  liveDocuments(after: number): AsyncIterable<LiveDocument[]> {
    return readLiveDocuments(this.#database, this.#rows, after);
  }

  filterTexts(): Promise<FilterText[]> {
    return readFilterTexts(this.#database);
  }

  async lastRowId(): Promise<number> {
    const [row] = await this.#database.rows<{ last: number }>(
      'SELECT coalesce(max(row_id), 0)::bigint AS last FROM tracks',
    );
    return row!.last;
  }

  filters(): Promise<Filter[]> {
    return this.#database.rows<Filter>(
      'SELECT id, name, slug, type FROM filters ORDER BY type, name, id',
    );
  }

  async resolveTrack(slugOrId: string): Promise<string | undefined> {
    const { column, key } = nameOf(slugOrId);
    const sql = `SELECT id FROM tracks WHERE ${column} = $1`;
    return (await this.#database.rows<{ id: string }>(sql, [key]))[0]?.id;
  }

  async resolveTracks(slugsAndIds: readonly string[]): Promise<(string | undefined)[]> {
    const names = new TrackNames(slugsAndIds);
    const sql = `
      SELECT slug AS name, id FROM tracks WHERE slug = ANY($1::text[])
      UNION ALL SELECT id, id FROM tracks WHERE id = ANY($2::text[])`;
    const rows = await this.#database.rows<{ name: string; id: string }>(sql, [
      names.slugs,
      names.ids,
    ]);
    return names.idsIn(rows.map(({ name, id }) => [name, id]));
  }

  async trackRecord(id: string): Promise<TrackRecord | undefined> {
    const sql = `
      SELECT ${TRACK_ROW_COLUMNS}, ${TRACK_STATE} AS state, ${TRACK_RECORD_COLUMNS}
      FROM tracks WHERE id = $1`;
    // One transaction needs one connection, for which it waits once.
    const [record] = await this.#database.view((tx) =>
      this.#rows.map(
        tx,
        () => tx.rows<RecordRow & Row>(sql, [id]),
        (row) => trackRecordOf(row, this.#rows.references),
      ),
    );
    return record;
  }

  async trackAudio(id: string): Promise<TrackAudio | undefined> {
    const sql = `
      SELECT ${TRACK_STATE} AS state, audio_key AS "audioKey", preview_start AS "previewStart",
             preview_key AS "previewKey", waveform_key AS "waveformKey"
      FROM tracks WHERE id = $1`;
    return (await this.#database.rows<TrackAudio>(sql, [id]))[0];
  }

  trackParts(slugOrId: string): Promise<TrackWithParts | undefined> {
    return trackParts(this.#sqlDatabase, slugOrId);
  }

  partAudio(id: string): Promise<PartAudio | undefined> {
    return partAudio(this.#sqlDatabase.queries, id);
  }

  async isUntouched(): Promise<boolean> {
    const [row] = await this.#database.rows<{ untouched: boolean }>(`
      SELECT NOT EXISTS (SELECT 1 FROM tracks)
         AND NOT EXISTS (SELECT 1 FROM change_log WHERE entity = 'track') AS untouched`);
    return row!.untouched;
  }

  async counts(): Promise<CatalogCounts> {
    const [row] = await this.#database.rows<RawCounts>(`
      SELECT (SELECT count(*) FROM tracks) AS tracks, down.count AS down, down.withdrawn, down.unavailable,
             (SELECT count(*) FROM filters) AS filters,
             (SELECT count(*) FROM playlists) AS playlists
      FROM (SELECT count(*) AS count, count(*) FILTER (WHERE withdrawn AND NOT unavailable) AS withdrawn,
                   count(*) FILTER (WHERE withdrawn AND unavailable) AS unavailable
            FROM tracks WHERE state = 'taken_down') AS down`);
    const { tracks, down, ...counts } = row!;
    return {
      ...counts,
      live: tracks - down,
      takenDown: down - counts.withdrawn - counts.unavailable,
    };
  }

  async countLive(source: string): Promise<number> {
    const sql = "SELECT count(*) AS count FROM tracks WHERE source = $1 AND state = 'live'";
    return (await this.#database.rows<{ count: number }>(sql, [source]))[0]!.count;
  }

  setState(id: string, state: ChosenState, by: Actor): Promise<boolean> {
    return new TrackStates(this.#sqlDatabase, this.#clock).set(id, state, by);
  }

  removeSource(source: string, by: Actor): Promise<number> {
    return new SourceRemoval(this.#sqlDatabase, this.#clock, source, by).run();
  }

  async *mediaKeys(): AsyncIterable<string[]> {
    yield* this.#mediaKeysOf('tracks', ['row_id']);
    // The media of former tracks: an undo of an import needs them.
    yield* this.#mediaKeysOf('former_tracks', ['batch_row_id', 'track_row_id']);
    yield* partMediaKeys(this.#sqlDatabase.aside);
    yield* renditionMediaKeys(this.#sqlDatabase.aside);
  }

  /** `key` lists the columns of the primary key of the table, which are numbers. */
  async *#mediaKeysOf(table: string, key: readonly string[]): AsyncIterable<string[]> {
    const marks = key.map((_, i) => `$${i + 2}::bigint`);
    const sql = `
      SELECT ${key}, ${MEDIA_COLUMNS} FROM ${table}
      WHERE (${key}) > (${marks}) AND coalesce(${MEDIA_COLUMNS}) IS NOT NULL
      ORDER BY ${key} LIMIT $1`;
    let last: number[] = key.map(() => 0);
    for (;;) {
      const rows = await this.#database.rows(sql, [WALK_SLICE, ...last]);
      if (rows.length === 0) return;
      yield rows
        .flatMap((row) => MEDIA_COLUMNS.map((column) => row[column] as string | null))
        .filter((one) => one !== null);
      last = key.map((column) => rows.at(-1)![column] as number);
    }
  }
}

/** The counts as read: `down` is the number of `tracks` that are not live. */
type RawCounts = Omit<CatalogCounts, 'live' | 'takenDown'> & { tracks: number; down: number };

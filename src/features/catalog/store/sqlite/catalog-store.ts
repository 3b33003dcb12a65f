import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Actor } from '../../../../common/caller.ts';
import type { Clock } from '../../../../common/clock.ts';
import type { IndexEntry, RowIdRange } from '../../../../engines/search/catalog-index.ts';
import type { SqlDatabase } from '../../../../engines/sql/database.ts';
import type { Database } from '../../../../engines/sql/sqlite/database.ts';
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
import type { References } from '../references.ts';
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
import { SqliteDeliverySession } from './delivery.ts';
import { DocumentReader, referencesOn } from './documents.ts';
import { IndexEntryReader } from './index-entries.ts';

/** The number of tracks that one step of a walk over the whole catalog reads: a few milliseconds. */
const WALK_SLICE = 2_000;
/** The cache of pages of a walk that reads each of them once. */
const WALK_CACHE_KILOBYTES = 1_024;

/** The catalog on SQLite. */
export class SqliteCatalogStore implements CatalogStore {
  readonly #database: Database;
  readonly #sqlDatabase: SqlDatabase;
  readonly #clock: Clock;
  readonly #references: References;
  readonly #entries: IndexEntryReader;
  readonly #documents: DocumentReader;
  readonly #openAnother: (cacheKilobytes?: number) => Promise<Database>;

  /**
   * `sqlDatabase` executes the shared queries on the same connection. `openAnother` opens one more connection
   * to the same file, for an import or a long walk.
   */
  constructor(
    database: Database,
    sqlDatabase: SqlDatabase,
    clock: Clock,
    openAnother: (cacheKilobytes?: number) => Promise<Database>,
  ) {
    this.#database = database;
    this.#sqlDatabase = sqlDatabase;
    this.#clock = clock;
    this.#references = referencesOn(database);
    this.#entries = new IndexEntryReader(database, this.#references);
    this.#documents = new DocumentReader(database, this.#references);
    this.#openAnother = openAnother;
  }

  async openDelivery(by: Actor, batchId: string, label = ''): Promise<DeliverySession> {
    return SqliteDeliverySession.open(await this.#openAnother(), this.#clock, {
      by,
      batchId,
      label,
    });
  }

  async document(slugOrId: string): Promise<TextDocument | undefined> {
    const { column, key } = nameOf(slugOrId);
    return this.#documents.named(column, key);
  }

  documents(numbers: readonly number[]): Promise<(TextDocument | undefined)[]> {
    return this.#documents.of(numbers);
  }

  indexEntries(ids: readonly string[]): Promise<IndexEntry[]> {
    return this.#database.view(() => this.#entries.of(ids));
  }

  async *allIndexEntries({ after, upTo }: RowIdRange = ALL_ROWS): AsyncIterable<IndexEntry[]> {
    let lastRowId = after;
    for (;;) {
      const slice = await this.#database.view(() =>
        this.#entries.after(lastRowId, upTo, WALK_SLICE),
      );
      if (slice.entries.length === 0) return;
      yield slice.entries;
      lastRowId = slice.lastRowId;
      await nextTurn();
    }
  }

  allDocuments(): AsyncIterable<DocumentParts[]> {
    return readAllDocuments(this.#database, this.#references);
  }

  async *liveDocuments(after: number): AsyncIterable<LiveDocument[]> {
    // A connection of its own, because the walk would fill the cache of this one with pages that it reads once.
    const database = await this.#openAnother(WALK_CACHE_KILOBYTES);
    try {
      yield* readLiveDocuments(database, this.#references, after);
    } finally {
      database.close();
    }
  }

  filterTexts(): Promise<FilterText[]> {
    return readFilterTexts(this.#database);
  }

  async lastRowId(): Promise<number> {
    const sql = 'SELECT ifnull(max(row_id), 0) AS last FROM tracks';
    const row = await this.#database.read(() => this.#database.prepare(sql).get());
    return row!.last as number;
  }

  async filters(): Promise<Filter[]> {
    const sql = 'SELECT id, name, slug, type FROM filters ORDER BY type, name, id';
    const rows = await this.#database.read(() => this.#database.prepare(sql).all());
    return rows.map((row) => ({ ...row }) as unknown as Filter);
  }

  async resolveTrack(slugOrId: string): Promise<string | undefined> {
    const { column, key } = nameOf(slugOrId);
    const sql = `SELECT id FROM tracks WHERE ${column} = ?`;
    const row = await this.#database.read(() => this.#database.prepare(sql).get(key));
    return row?.id as string | undefined;
  }

  resolveTracks(slugsAndIds: readonly string[]): Promise<(string | undefined)[]> {
    const names = new TrackNames(slugsAndIds);
    const select = (column: 'slug' | 'id', keys: readonly string[]) =>
      this.#database.rowsIn(
        (marks) => `SELECT ${column}, id FROM tracks WHERE ${column} IN (${marks})`,
        keys,
      ) as [string, string][];
    return this.#database.view(() =>
      names.idsIn([...select('slug', names.slugs), ...select('id', names.ids)]),
    );
  }

  async trackRecord(id: string): Promise<TrackRecord | undefined> {
    const sql = `
      SELECT ${TRACK_ROW_COLUMNS}, ${TRACK_STATE} AS state, ${TRACK_RECORD_COLUMNS}
      FROM tracks WHERE id = ?`;
    return this.#database.view(() => {
      const row = this.#database.prepare(sql).get(id) as RecordRow | undefined;
      return row && trackRecordOf(row, this.#references);
    });
  }

  async trackAudio(id: string): Promise<TrackAudio | undefined> {
    const sql = `
      SELECT ${TRACK_STATE} AS state, audio_key AS audioKey, preview_start AS previewStart,
             preview_key AS previewKey, waveform_key AS waveformKey
      FROM tracks WHERE id = ?`;
    const row = await this.#database.read(() => this.#database.prepare(sql).get(id));
    return row as unknown as TrackAudio | undefined;
  }

  trackParts(slugOrId: string): Promise<TrackWithParts | undefined> {
    return trackParts(this.#sqlDatabase, slugOrId);
  }

  partAudio(id: string): Promise<PartAudio | undefined> {
    return partAudio(this.#sqlDatabase.queries, id);
  }

  async isUntouched(): Promise<boolean> {
    const sql = `
      SELECT NOT EXISTS (SELECT 1 FROM tracks)
         AND NOT EXISTS (SELECT 1 FROM change_log WHERE entity = 'track') AS untouched`;
    const row = await this.#database.read(() => this.#database.prepare(sql).get());
    return row!.untouched === 1;
  }

  async counts(): Promise<CatalogCounts> {
    const sql = `
      SELECT (SELECT count(*) FROM tracks) AS tracks,
             down.count AS down, down.withdrawn AS withdrawn, down.unavailable AS unavailable,
             (SELECT count(*) FROM filters) AS filters,
             (SELECT count(*) FROM playlists) AS playlists
      FROM (SELECT count(*) AS count, count(*) FILTER (WHERE withdrawn AND NOT unavailable) AS withdrawn,
                   count(*) FILTER (WHERE withdrawn AND unavailable) AS unavailable
            FROM tracks WHERE state = 'taken_down') AS down`;
    const row = await this.#database.read(() => this.#database.prepare(sql).get());
    const { tracks, down, ...counts } = row as unknown as RawCounts;
    return {
      ...counts,
      live: tracks - down,
      takenDown: down - counts.withdrawn - counts.unavailable,
    };
  }

  async countLive(source: string): Promise<number> {
    const sql = "SELECT count(*) AS count FROM tracks WHERE source = ? AND state = 'live'";
    const row = await this.#database.read(() => this.#database.prepare(sql).get(source));
    return row!.count as number;
  }

  setState(id: string, state: ChosenState, by: Actor): Promise<boolean> {
    return new TrackStates(this.#sqlDatabase, this.#clock).set(id, state, by);
  }

  removeSource(source: string, by: Actor): Promise<number> {
    return new SourceRemoval(this.#sqlDatabase, this.#clock, source, by).run();
  }

  async *mediaKeys(): AsyncIterable<string[]> {
    yield* this.#mediaKeysOf('tracks');
    // The media of former tracks: an undo of an import needs them.
    yield* this.#mediaKeysOf('former_tracks');
    yield* partMediaKeys(this.#sqlDatabase.aside);
    yield* renditionMediaKeys(this.#sqlDatabase.aside);
  }

  async *#mediaKeysOf(table: 'tracks' | 'former_tracks'): AsyncIterable<string[]> {
    const sql = `
      SELECT rowid, ${MEDIA_COLUMNS} FROM ${table}
      WHERE rowid > ? AND coalesce(${MEDIA_COLUMNS}) IS NOT NULL
      ORDER BY rowid LIMIT ?`;
    let lastRowId = 0;
    for (;;) {
      const rows = (await this.#database.read(() =>
        this.#database.prepareRows(sql).all(lastRowId, WALK_SLICE),
      )) as unknown as [number, ...(string | null)[]][];
      if (rows.length === 0) return;
      yield rows.flatMap(([, ...keys]) => keys.filter((key) => key !== null));
      lastRowId = rows.at(-1)![0];
      await nextTurn();
    }
  }
}

/** The counts as read: `down` is the number of `tracks` that are not live. */
type RawCounts = Omit<CatalogCounts, 'live' | 'takenDown'> & { tracks: number; down: number };

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Actor } from '../../../common/caller.ts';
import type { Clock } from '../../../common/clock.ts';
import { nameOf } from '../../../common/ids.ts';
import type { IndexEntry, RowIdRange } from '../../../engines/search/catalog-index.ts';
import { compiledOnce, type Queries, type SqlDatabase } from '../../../engines/sql/database.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import type { TrackState } from '../../availability/availability.ts';
import { TRACK_STATE } from '../../availability/store/track-period.ts';
import {
  ALL_ROWS,
  type CatalogCounts,
  type DeliveryCause,
  type DeliverySession,
  type LiveDocument,
  type PartAudio,
  type TakeCreated,
  type TrackAudio,
  type TrackRecord,
  type TrackWithParts,
} from '../catalog-stores.ts';
import type { DocumentParts, FilterText } from '../document-copy.ts';
import { performersOf } from '../performers.ts';
import { ORIGINALS, type StreamPolicy } from '../streamed-audio.ts';
import type { Filter } from '../track.ts';
import { TextDocument } from '../track-document.ts';
import type { TrackPart } from '../track-parts.ts';
import { EntryMaker, type EntryRow, entryColumns } from './index-entries.ts';
import { mediaKeys } from './media-keys.ts';
import { creditsOf, filterJson, mainArtist, ReferringRows } from './references.ts';
import { SHOWN_TRAINING } from './shown-provenance.ts';
import { SourceRemoval } from './source-removal.ts';
import { lastTrack } from './track-names.ts';
import {
  documentTexts,
  joined,
  type RecordRow,
  SHOWN_ROW_COLUMNS,
  TRACK_RECORD_COLUMNS,
  type TrackRow,
  trackRecordOf,
} from './track-row.ts';

/** The numbers of tracks that one step of a walk reads: a few milliseconds for entries, documents, and a snapshot. */
const ENTRY_SLICE = 2_000;
const COPY_SLICE = 1_000;
const SNAPSHOT_SLICE = 200;

const state = sql<TrackState>`${sql.raw(TRACK_STATE)}`;

/** A row of `tracks` with everything that its document needs. */
interface DocumentRow extends TrackRow {
  rowId: number;
  artworkKey: string | null;
}

const DOCUMENT_COLUMNS = sql.raw(
  `row_id AS "rowId", artwork_key AS "artworkKey", ${SHOWN_ROW_COLUMNS}`,
);

/** What `#served` needs. */
const SERVED = [
  'tracks.name',
  'tracks.slug',
  'tracks.artists',
  sql<boolean | number | null>`${sql.raw(SHOWN_TRAINING)}`.as('trainingAllowed'),
] as const;

const selectAudio = compiledOnce((queries, { id }: { id: string }) =>
  queries
    .selectFrom('tracks')
    .select([state.as('state'), 'audioKey', 'previewStart', 'previewKey', 'waveformKey'])
    .select(['audioProperties', 'samples', 'isPlayable', 'isrc', 'artworkKey', 'coverBytes'])
    .select(SERVED)
    .where('id', '=', id),
);

/** Each condition contains that of an index, in its words. */
const RESERVED = sql<SqlBool>`NOT training_allowed`;
const RESERVED_BY_SOURCE = sql<SqlBool>`training_allowed IS NULL
  AND source IN (SELECT source FROM source_provenance WHERE NOT training_allowed)`;

const selectReserved = compiledOnce((queries, { key }: { key: string }) => {
  const [own, ofSource] = [RESERVED, RESERVED_BY_SOURCE].map((condition) =>
    queries.selectFrom('tracks').select('rowId').where('artworkKey', '=', key).where(condition),
  );
  return own!.unionAll(ofSource!).limit(1);
});

const selectFirstOfAudio = compiledOnce((queries, { key }: { key: string }) =>
  queries
    .selectFrom('tracks')
    .select(['id', 'slug'])
    .where('audioKey', '=', key)
    .orderBy('rowId')
    .limit(1),
);

const selectTrackBy = (column: 'id' | 'slug') =>
  compiledOnce((queries, { key }: { key: string }) =>
    queries
      .selectFrom('tracks')
      .select(['rowId', 'id', state.as('state'), ...SERVED])
      .where(column, '=', key),
  );
const selectTrack = { id: selectTrackBy('id'), slug: selectTrackBy('slug') };

const selectParts = compiledOnce((queries, { rowId }: { rowId: number }) =>
  queries
    .selectFrom('trackParts')
    .select(['id', 'part', 'kind', 'name', 'durationSeconds', 'audioKey', 'sizeBytes'])
    .where('trackRowId', '=', rowId)
    .orderBy('part')
    .orderBy('position'),
);

const selectPart = compiledOnce((queries, { id }: { id: string }) =>
  queries
    .selectFrom('trackParts')
    .innerJoin('tracks', 'tracks.rowId', 'trackParts.trackRowId')
    .select(['tracks.id as trackId', 'trackParts.audioKey', state.as('state')])
    .select(['trackParts.kind', 'trackParts.name as partName'])
    .select(SERVED)
    .where('trackParts.id', '=', id),
);

export type OpenDelivery = (cause: DeliveryCause) => Promise<DeliverySession>;

/** The catalog in the system of record. Each write appends to the change log in its transaction. */
export class CatalogStore extends SqlStore {
  readonly #open: OpenDelivery;
  readonly #openLarge: OpenDelivery;
  readonly #rows: ReferringRows;
  readonly #entries: EntryMaker;
  #streams = ORIGINALS;

  /** @param openLarge opens a session that is worth a thread */
  constructor(
    database: SqlDatabase,
    clock: Clock,
    open: OpenDelivery,
    openLarge: OpenDelivery = open,
  ) {
    super(database, clock);
    this.#open = open;
    this.#openLarge = openLarge;
    this.#rows = new ReferringRows(database.dialect);
    this.#entries = new EntryMaker(this.#rows.references);
  }

  /** Decides what documents say of streams. By default, they are those of the delivered files. */
  useStreams(policy: StreamPolicy): void {
    this.#streams = policy;
  }

  /** Opens a session. A large one, of some thousand tracks or more, runs in a thread. */
  openDelivery(
    by: Actor,
    batchId: string,
    label = '',
    { isLarge = false, onCreated }: { isLarge?: boolean; onCreated?: TakeCreated | undefined } = {},
  ): Promise<DeliverySession> {
    return (isLarge ? this.#openLarge : this.#open)({ by, batchId, label, onCreated });
  }

  /** The documents of live tracks by row id, in the given order; undefined for tracks that are not live. */
  async documents(rowIds: readonly number[]): Promise<(TextDocument | undefined)[]> {
    const found = await this.#documents(this.database.dialect.isOneOf(sql.raw('row_id'), rowIds));
    const documents = new Map(found.map(({ rowId, document }) => [rowId, document]));
    return rowIds.map((rowId) => documents.get(rowId));
  }

  /** The document of one live track, by its slug or its id (in either case). */
  async document(slugOrId: string): Promise<TextDocument | undefined> {
    const { column, key } = nameOf(slugOrId);
    const [found] = await this.#documents(sql<SqlBool>`${sql.raw(column)} = ${key}`);
    return found?.document;
  }

  /** The index entries of the given tracks, without those that are not live. */
  indexEntries(ids: readonly string[]): Promise<IndexEntry[]> {
    const { isOneOf } = this.database.dialect;
    return this.#entriesOf(sql`${isOneOf(sql.raw('id'), ids)} AND state = 'live'`);
  }

  /**
   * The index entries of all live tracks, in slices of a few thousand with a pause for the event loop after
   * each. It is not a snapshot: a change that is made meanwhile may be included or not. Therefore read the
   * head of the log first, and follow the log from there.
   * @param rows the rows to read; by default all
   */
  async *allIndexEntries({ after, upTo }: RowIdRange = ALL_ROWS): AsyncIterable<IndexEntry[]> {
    const read = (last: number) =>
      this.#entriesOf(sql`row_id > ${last} AND row_id <= ${upTo} AND state = 'live'
        ORDER BY row_id LIMIT ${ENTRY_SLICE}`);
    let slice = await read(after);
    while (slice.length > 0) {
      // Reads the next slice while the caller processes this one.
      const next = read(slice.at(-1)!.rowId);
      // A caller that stops early does not wait for this read, so its error must be handled here.
      next.catch(() => {});
      yield slice;
      await nextTurn();
      slice = await next;
    }
  }

  /** The greatest row id of a track; 0 if there is none. */
  lastRowId(): Promise<number> {
    return lastTrack(this.database.queries);
  }

  /** The documents of all live tracks in the order of row ids, in slices like `allIndexEntries`. */
  allDocuments(): AsyncIterable<DocumentParts[]> {
    const { references } = this.#rows;
    return this.#walk(this.database.queries, { after: 0, limit: COPY_SLICE }, (row) => {
      const { rowId, artworkKey } = row;
      return { rowId, artworkKey, ...documentTexts(row, references, this.#streams) };
    });
  }

  /**
   * The documents of live tracks after a row id, in their order, for one slow reader: in slices of some
   * milliseconds, each of which is read when it is asked for and shows what is committed then. They come from
   * the primary database, never from a replica.
   */
  liveDocuments(after: number): AsyncIterable<LiveDocument[]> {
    // On SQLite, the walk would fill the cache of the connection of requests with pages that it reads once.
    return this.#walk(this.database.aside, { after, limit: SNAPSHOT_SLICE }, (row) =>
      this.#documentOf(row),
    );
  }

  /** All filters as they appear in documents, in any order. */
  async filterTexts(): Promise<FilterText[]> {
    const filters = await this.database.queries
      .selectFrom('filters')
      .select(['rowId', 'id', 'name', 'slug', 'type'])
      .execute();
    return filters.map((filter) => ({ rowId: filter.rowId, json: filterJson(filter) }));
  }

  /** All filters, ordered by type and name. */
  filters(): Promise<Filter[]> {
    return this.database.queries
      .selectFrom('filters')
      .select(['id', 'name', 'slug', 'type'])
      .orderBy('type')
      .orderBy('name')
      .orderBy('id')
      .execute();
  }

  /** The id of the track with a slug or an id (in upper or lower case), whatever its state. */
  async resolveTrack(slugOrId: string): Promise<string | undefined> {
    return (await this.resolveTracks([slugOrId]))[0];
  }

  /** The ids for several slugs and ids, in their order, with one query. */
  async resolveTracks(slugsAndIds: readonly string[]): Promise<(string | undefined)[]> {
    const names = slugsAndIds.map(nameOf);
    const { queries, dialect } = this.database;
    const select = (name: 'id' | 'slug') =>
      queries
        .selectFrom('tracks')
        .select([`${name} as name`, 'id'])
        .where(({ ref }) =>
          dialect.isOneOf(
            ref(name),
            names.flatMap(({ column, key }) => (column === name ? [key] : [])),
          ),
        );
    const rows = await select('slug').unionAll(select('id')).execute();
    // No slug has the form of an id.
    const ids = new Map(rows.map(({ name, id }) => [name, id]));
    return names.map(({ key }) => ids.get(key));
  }

  /**
   * The first and the last track, of any state, with each of these ISRCs, which must not be empty: an ISRC may be that of
   * all tracks.
   */
  async tracksWithIsrcs(
    isrcs: readonly string[],
  ): Promise<{ isrc: string; id: string; source: string }[]> {
    const { queries, dialect } = this.database;
    const ends = await queries
      .selectFrom('tracks')
      .select(({ fn }) => [fn.min<number>('rowId').as('first'), fn.max<number>('rowId').as('last')])
      .where(({ ref }) => dialect.isOneOf(ref('isrc'), isrcs))
      // The condition of the index, in its words.
      .where(sql<SqlBool>`isrc <> ''`)
      .groupBy('isrc')
      .execute();
    const rowIds = new Set(ends.flatMap(({ first, last }) => [first, last]));
    return queries
      .selectFrom('tracks')
      .select(['isrc', 'id', 'source'])
      .where(({ ref }) => dialect.isOneOf(ref('rowId'), [...rowIds]))
      .orderBy('rowId')
      .execute();
  }

  async trackRecord(id: string): Promise<TrackRecord | undefined> {
    const columns = sql.raw(
      `${SHOWN_ROW_COLUMNS}, ${TRACK_STATE} AS state, ${TRACK_RECORD_COLUMNS}`,
    );
    const [record] = await this.#rows.map(
      this.database.queries,
      sql<RecordRow>`SELECT ${columns} FROM tracks WHERE id = ${id}`,
      (row) => trackRecordOf(row, this.#rows.references),
    );
    return record;
  }

  async trackAudio(id: string): Promise<TrackAudio | undefined> {
    return (await this.#served((queries) => selectAudio(queries, { id })))[0];
  }

  /** The first track that was created with this audio, whatever its state. */
  async firstOfAudio(key: string): Promise<{ id: string; slug: string } | undefined> {
    return (await selectFirstOfAudio(this.database.queries, { key }))[0];
  }

  /** The parts of the track with a slug or an id (in upper or lower case), whatever its state. */
  trackParts(slugOrId: string): Promise<TrackWithParts | undefined> {
    const { column, key } = nameOf(slugOrId);
    return this.database.view(async (queries) => {
      const [track] = await this.#served((view) => selectTrack[column](view, { key }), queries);
      if (track === undefined) return undefined;
      const { rowId, ...found } = track;
      const parts = { stems: [] as TrackPart[], versions: [] as TrackPart[] };
      for (const { part, ...stored } of await selectParts(queries, { rowId })) {
        parts[part === 'stem' ? 'stems' : 'versions'].push(stored);
      }
      return { ...found, parts };
    });
  }

  /** What a media request needs of the part with this id, in lower case. */
  async partAudio(id: string): Promise<PartAudio | undefined> {
    const [found] = await this.#served((queries) => selectPart(queries, { id }));
    if (found === undefined) return undefined;
    const { kind, partName, ...part } = found;
    return { ...part, part: partName ?? kind.replaceAll('_', ' ') };
  }

  /** Completes the members of ServedTrack. */
  #served<Row extends { artists: string; trainingAllowed: boolean | number | null }>(
    select: (queries: Queries) => Promise<Row[]>,
    queries = this.database.queries,
  ) {
    const query = { execute: async (on: Queries) => ({ rows: await select(on) }) };
    return this.#rows.map(queries, query, ({ artists, trainingAllowed, ...row }) => ({
      ...row,
      artist: mainArtist(artists, this.#rows.references),
      performers: performersOf(creditsOf(artists, this.#rows.references)),
      forbidsTraining: trainingAllowed !== null && !trainingAllowed,
    }));
  }

  /** Whether a track with this artwork, whatever its state, forbids that machines learn from it. */
  async artworkForbidsTraining(key: string): Promise<boolean> {
    return (await selectReserved(this.database.queries, { key })).length > 0;
  }

  /** Whether nothing was ever imported, taken down or removed. */
  async isUntouched(): Promise<boolean> {
    const { queries } = this.database;
    const track = await queries.selectFrom('tracks').select('rowId').limit(1).executeTakeFirst();
    const change = await queries
      .selectFrom('changeLog')
      .select('seq')
      .where('entity', '=', 'track')
      .limit(1)
      .executeTakeFirst();
    return track === undefined && change === undefined;
  }

  /**
   * The `seq` of the first change after another one that changes documents of tracks and is not a creation by this batch.
   */
  async firstOtherChange(seq: number, batchId: string): Promise<number | undefined> {
    const { first } = await this.database.queries
      .selectFrom('changeLog')
      .select(({ fn }) => fn.min<number | null>('seq').as('first'))
      .where('entity', 'in', ['track', 'source'])
      .where('seq', '>', seq)
      .where(({ or, eb }) =>
        or([eb('kind', '!=', 'created'), eb('batchId', 'is', null), eb('batchId', '!=', batchId)]),
      )
      .executeTakeFirstOrThrow();
    return first ?? undefined;
  }

  async counts(): Promise<CatalogCounts> {
    const { rows } = await sql<Omit<CatalogCounts, 'live'> & { tracks: number; down: number }>`
      SELECT (SELECT count(*) FROM tracks) AS tracks, down.*,
             (SELECT count(*) FROM filters) AS filters,
             (SELECT count(*) FROM playlists) AS playlists
      FROM (SELECT count(*) AS down,
                   count(*) FILTER (WHERE NOT withdrawn AND NOT unavailable) AS taken_down,
                   count(*) FILTER (WHERE withdrawn AND NOT unavailable) AS withdrawn,
                   count(*) FILTER (WHERE withdrawn AND unavailable) AS unavailable
            FROM tracks WHERE state = 'taken_down') AS down`.execute(this.database.queries);
    const { tracks, down, ...counts } = rows[0]!;
    return { ...counts, live: tracks - down };
  }

  /** The number of live tracks of the source. It is counted: about a second for a million tracks. */
  async countLive(source: string): Promise<number> {
    const { count } = await this.database.queries
      .selectFrom('tracks')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('source', '=', source)
      .where('state', '=', 'live')
      .executeTakeFirstOrThrow();
    return count;
  }

  /**
   * Deletes everything that only a source uses: its tracks, their positions in playlists and their licenses,
   * then artists and filters without a track. Logs `track.removed`, `license.removed` and `playlist.updated`.
   * Works in short transactions; if it is killed, it can be repeated.
   */
  removeSource(source: string, by: Actor): Promise<number> {
    return new SourceRemoval(this.database, this.clock, source, by).run();
  }

  /** All media keys in the database, in slices. */
  mediaKeys(): AsyncIterable<string[]> {
    return mediaKeys(this.database.aside);
  }

  #documentOf(row: DocumentRow): LiveDocument & { document: TextDocument } {
    const { rowId, artworkKey } = row;
    const { references } = this.#rows;
    const { streamExtension, ...texts } = documentTexts(row, references, this.#streams);
    const document = new TextDocument(joined(texts, references), { artworkKey, streamExtension });
    return { rowId, document };
  }

  #documents(condition: RawBuilder<SqlBool>) {
    return this.#rows.map(
      this.database.queries,
      sql<DocumentRow>`SELECT ${DOCUMENT_COLUMNS} FROM tracks WHERE ${condition} AND state = 'live'`,
      (row) => this.#documentOf(row),
    );
  }

  #entriesOf(condition: RawBuilder<unknown>): Promise<IndexEntry[]> {
    const columns = entryColumns(this.database.dialect);
    return this.#rows.map(
      this.database.queries,
      sql<EntryRow>`SELECT ${columns} FROM tracks WHERE ${condition}`,
      (row) => this.#entries.entry(row),
    );
  }

  /** Walks the live tracks after a row id, in the order of row ids. */
  async *#walk<Made extends { rowId: number }>(
    queries: Queries,
    { after, limit }: { after: number; limit: number },
    make: (row: DocumentRow) => Made,
  ): AsyncIterable<Made[]> {
    for (let last = after; ; ) {
      const slice = await this.#rows.map(
        queries,
        sql<DocumentRow>`SELECT ${DOCUMENT_COLUMNS} FROM tracks
          WHERE row_id > ${last} AND state = 'live' ORDER BY row_id LIMIT ${limit}`,
        make,
      );
      if (slice.length === 0) return;
      yield slice;
      last = slice.at(-1)!.rowId;
      await nextTurn();
    }
  }
}

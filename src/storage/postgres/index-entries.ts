import type { IndexEntry } from '../../catalog/catalog-index.ts';
import type { TrackType } from '../../catalog/track.ts';
import { RememberedLists } from '../remembered-lists.ts';
import { AFTER_MEMBERS, BEFORE_MEMBERS, SearchedMembersReader } from '../searched-members.ts';
import { parseStored } from '../stored-value.ts';
import type { Database, Transaction } from './database.ts';

interface EntryRow extends Record<string, unknown> {
  rowId: number;
  id: string;
  name: string;
  type: TrackType;
  has_vocals: boolean;
  released_at: number;
  duration_seconds: number;
  bpm: number;
  song_keys: string;
  isrc: string;
  /** The tags and artists of the document, as JSON text. */
  searched: string;
}

const COLUMNS = `
  row_id AS "rowId", id, name, type, has_vocals, released_at, duration_seconds, bpm, song_keys, isrc,
  split_part(split_part(document, '${BEFORE_MEMBERS}', 2), '${AFTER_MEMBERS}', 1) AS searched`;

/** The filters of each track, as row ids joined by commas: the driver reads a text faster than an array. */
const FILTERS = `
  SELECT track_row_id, string_agg(filter_row_id::text, ',' ORDER BY filter_row_id) AS filters
  FROM track_filters`;

/** Reads what the index needs of live tracks. */
export class IndexEntryReader {
  readonly #database: Database;
  /** By row id, which is never reused: one string per filter, shared by all tracks that have it. */
  readonly #filterIds = new Map<number, string>();
  readonly #filterLists = new RememberedLists();
  readonly #keyLists = new RememberedLists();
  readonly #searched = new SearchedMembersReader();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the entries of those of the tracks that are live, in any order. */
  of(ids: readonly string[]): Promise<IndexEntry[]> {
    const sql = `
      SELECT ${COLUMNS} FROM tracks WHERE id = ANY($1::text[]) AND state = 'live'`;
    return this.#database.view(async (tx) => {
      const tracks = await tx.rows<EntryRow>(sql, [ids]);
      return this.#entries(
        tx,
        tracks,
        `${FILTERS} WHERE track_row_id = ANY($1::bigint[]) GROUP BY 1`,
        [tracks.map(({ rowId }) => rowId)],
      );
    });
  }

  /**
   * Returns the next live tracks after a row id and up to another, in the order of row ids. Merges two range
   * scans.
   */
  after(rowId: number, upTo: number, limit: number): Promise<IndexEntry[]> {
    const sql = `
      SELECT ${COLUMNS} FROM tracks WHERE row_id > $1 AND row_id <= $2 AND state = 'live'
      ORDER BY row_id LIMIT $3`;
    return this.#database.view(async (tx) => {
      const tracks = await tx.rows<EntryRow>(sql, [rowId, upTo, limit]);
      const last = tracks.at(-1)?.rowId ?? rowId;
      const filters = `${FILTERS} WHERE track_row_id > $1 AND track_row_id <= $2 GROUP BY 1`;
      return this.#entries(tx, tracks, filters, [rowId, last]);
    });
  }

  async #entries(
    tx: Transaction,
    tracks: readonly EntryRow[],
    filterSql: string,
    values: readonly (number | number[])[],
  ): Promise<IndexEntry[]> {
    const rows = await tx.rows<{ track_row_id: number; filters: string }>(filterSql, values);
    const filters = new Map(rows.map((row) => [row.track_row_id, row.filters]));
    if (rows.some((row) => !this.#filterLists.has(row.filters))) await this.#learnFilters(tx);
    return tracks.map((row) => ({
      rowId: row.rowId,
      id: row.id,
      name: row.name,
      type: row.type,
      hasVocals: row.has_vocals,
      releasedAt: row.released_at,
      durationSeconds: row.duration_seconds,
      bpm: row.bpm,
      songKeys: this.#keyLists.of(row.song_keys, parseStored),
      isrc: row.isrc,
      filterIds: this.#filterLists.of(filters.get(row.rowId) ?? '', (numbers) =>
        this.#idsOf(numbers),
      ),
      ...this.#searched.of(row.searched),
    }));
  }

  #idsOf(numbers: string): string[] {
    if (numbers === '') return [];
    return numbers.split(',').map((number) => this.#filterIds.get(Number(number))!);
  }

  async #learnFilters(tx: Transaction): Promise<void> {
    const largest = Math.max(0, ...this.#filterIds.keys());
    const sql = 'SELECT row_id AS "rowId", id FROM filters WHERE row_id > $1';
    for (const { rowId, id } of await tx.rows<{ rowId: number; id: string }>(sql, [largest])) {
      this.#filterIds.set(rowId, id);
    }
  }
}

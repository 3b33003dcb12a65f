import type { IndexEntry } from '../../catalog/catalog-index.ts';
import type { TrackType } from '../../catalog/track.ts';
import { RememberedLists } from '../remembered-lists.ts';
import type { Database, Transaction } from './database.ts';

interface EntryRow extends Record<string, unknown> {
  no: number;
  id: string;
  name: string;
  type: TrackType;
  has_vocals: boolean;
  released_at: number;
  duration_seconds: number;
  bpm: number;
  song_keys: string;
  isrc: string;
}

const COLUMNS = `
  no, id, name, type, has_vocals, released_at, duration_seconds, bpm, song_keys, isrc`;

/** Numbers joined by commas, by track; a text is read quicker than an array. */
const FILTERS = `
  SELECT track_no, string_agg(filter_no::text, ',' ORDER BY filter_no) AS filters
  FROM track_filters`;

/** Reads what the index must know of live tracks. */
export class IndexEntryReader {
  readonly #database: Database;
  /** By number, which is never given twice: one string for each filter, however many tracks carry it. */
  readonly #filterIds = new Map<number, string>();
  readonly #filterLists = new RememberedLists();
  readonly #keyLists = new RememberedLists();

  constructor(database: Database) {
    this.#database = database;
  }

  /** The entries of those of the tracks that are live, in no order. */
  of(ids: readonly string[]): Promise<IndexEntry[]> {
    const sql = `
      SELECT ${COLUMNS} FROM tracks WHERE id = ANY($1::text[]) AND state = 'live'`;
    return this.#database.view(async (tx) => {
      const tracks = await tx.rows<EntryRow>(sql, [ids]);
      return this.#entries(tx, tracks, `${FILTERS} WHERE track_no = ANY($1::bigint[]) GROUP BY 1`, [
        tracks.map(({ no }) => no),
      ]);
    });
  }

  /** The next live tracks after a number, in its order. Two scans of ranges, merged here. */
  after(no: number, limit: number): Promise<IndexEntry[]> {
    const sql = `
      SELECT ${COLUMNS} FROM tracks WHERE no > $1 AND state = 'live' ORDER BY no LIMIT $2`;
    return this.#database.view(async (tx) => {
      const tracks = await tx.rows<EntryRow>(sql, [no, limit]);
      const last = tracks.at(-1)?.no ?? no;
      const filters = `${FILTERS} WHERE track_no > $1 AND track_no <= $2 GROUP BY 1`;
      return this.#entries(tx, tracks, filters, [no, last]);
    });
  }

  async #entries(
    tx: Transaction,
    tracks: readonly EntryRow[],
    filterSql: string,
    values: readonly (number | number[])[],
  ): Promise<IndexEntry[]> {
    const rows = await tx.rows<{ track_no: number; filters: string }>(filterSql, values);
    const filters = new Map(rows.map((row) => [row.track_no, row.filters]));
    if (rows.some((row) => !this.#filterLists.has(row.filters))) await this.#learnFilters(tx);
    return tracks.map((row) => ({
      no: row.no,
      id: row.id,
      name: row.name,
      type: row.type,
      hasVocals: row.has_vocals,
      releasedAt: row.released_at,
      durationSeconds: row.duration_seconds,
      bpm: row.bpm,
      songKeys: this.#keyLists.of(row.song_keys, (json) => JSON.parse(json)),
      isrc: row.isrc,
      filterIds: this.#filterLists.of(filters.get(row.no) ?? '', (numbers) => this.#idsOf(numbers)),
    }));
  }

  #idsOf(numbers: string): string[] {
    if (numbers === '') return [];
    return numbers.split(',').map((number) => this.#filterIds.get(Number(number))!);
  }

  async #learnFilters(tx: Transaction): Promise<void> {
    const largest = Math.max(0, ...this.#filterIds.keys());
    const sql = 'SELECT no, id FROM filters WHERE no > $1';
    for (const { no, id } of await tx.rows<{ no: number; id: string }>(sql, [largest])) {
      this.#filterIds.set(no, id);
    }
  }
}

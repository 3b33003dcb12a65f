import type { IndexEntry } from '../../catalog/catalog-index.ts';
import type { TrackType } from '../../catalog/track.ts';
import { RememberedLists } from '../remembered-lists.ts';
import type { Database } from './database.ts';

type EntryRow = [
  no: number,
  id: string,
  name: string,
  type: TrackType,
  hasVocals: number,
  releasedAt: number,
  durationSeconds: number,
  bpm: number,
  /** A JSON array. */
  songKeys: string,
  isrc: string,
  /** Numbers joined by commas; null where there are none. */
  filterNos: string | null,
];

const SELECT = `
  SELECT no, id, name, type, has_vocals, released_at, duration_seconds, bpm, song_keys, isrc,
         (SELECT group_concat(filter_no) FROM track_filters WHERE track_no = tracks.no)
  FROM tracks`;

/** Reads what the index must know of live tracks; about 3 µs each. */
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
  of(ids: readonly string[]): IndexEntry[] {
    const rows = this.#database.rowsIn(
      (marks) => `${SELECT} WHERE id IN (${marks}) AND state = 'live'`,
      ids,
    );
    return (rows as EntryRow[]).map((row) => this.#entry(row));
  }

  /** The next live tracks after a number, in its order. */
  after(no: number, limit: number): { entries: IndexEntry[]; lastNo: number } {
    const sql = `${SELECT} WHERE no > ? AND state = 'live' ORDER BY no LIMIT ?`;
    const rows = this.#database.prepareRows(sql).all(no, limit) as unknown as EntryRow[];
    return { entries: rows.map((row) => this.#entry(row)), lastNo: rows.at(-1)?.[0] ?? no };
  }

  #entry(row: EntryRow): IndexEntry {
    return {
      no: row[0],
      id: row[1],
      name: row[2],
      type: row[3],
      hasVocals: row[4] === 1,
      releasedAt: row[5],
      durationSeconds: row[6],
      bpm: row[7],
      songKeys: this.#keyLists.of(row[8], (json) => JSON.parse(json)),
      isrc: row[9],
      filterIds: this.#filterLists.of(row[10] ?? '', (nos) => this.#filterIdsOf(nos)),
    };
  }

  #filterIdsOf(nos: string): string[] {
    return nos === '' ? [] : nos.split(',').map((no) => this.#filterId(Number(no)));
  }

  #filterId(no: number): string {
    const known = this.#filterIds.get(no);
    if (known !== undefined) return known;
    for (const row of this.#database.prepare('SELECT no, id FROM filters').all()) {
      this.#filterIds.set(row.no as number, row.id as string);
    }
    return this.#filterIds.get(no)!;
  }
}

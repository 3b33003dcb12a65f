import type { IndexEntry } from '../../../../engines/search/catalog-index.ts';
import type { Database } from '../../../../engines/sql/sqlite/database.ts';
import { EntryMaker, type EntryRow, entryColumns } from '../index-entries.ts';
import type { References } from '../references.ts';

const ENTRY_COLUMNS = entryColumns('json_group_array(json_array(name, tags))');

/** Reads what the index needs of live tracks. Call it within `Database.view`. */
export class IndexEntryReader {
  readonly #database: Database;
  readonly #maker: EntryMaker;

  constructor(database: Database, references: References) {
    this.#database = database;
    this.#maker = new EntryMaker(references);
  }

  /** Returns the entries of those of the tracks that are live, in any order. */
  of(ids: readonly string[]): IndexEntry[] {
    const rows = this.#database.rowsIn(
      (marks) => `SELECT ${ENTRY_COLUMNS} FROM tracks WHERE id IN (${marks}) AND state = 'live'`,
      ids,
    );
    return (rows as EntryRow[]).map((row) => this.#maker.entry(row));
  }

  /** Returns the next live tracks after a row id and up to another, in the order of row ids. */
  after(rowId: number, upTo: number, limit: number): { entries: IndexEntry[]; lastRowId: number } {
    const sql = `
      SELECT ${ENTRY_COLUMNS} FROM tracks WHERE row_id > ? AND row_id <= ? AND state = 'live'
      ORDER BY row_id LIMIT ?`;
    const rows = this.#database.prepareRows(sql).all(rowId, upTo, limit) as unknown as EntryRow[];
    const entries = rows.map((row) => this.#maker.entry(row));
    return { entries, lastRowId: rows.at(-1)?.[0] ?? rowId };
  }
}

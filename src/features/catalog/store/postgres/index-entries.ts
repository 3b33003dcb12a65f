import type { IndexEntry } from '../../../../engines/search/catalog-index.ts';
import type { Database, Row, Value } from '../../../../engines/sql/postgres/database.ts';
import { EntryMaker, type EntryRow, entryColumns } from '../index-entries.ts';
import type { ReferringRows } from './referring-rows.ts';

const ENTRY_COLUMNS = entryColumns('json_agg(json_build_array(name, tags))::text');

/** Its members are in the order of ENTRY_COLUMNS. */
interface NamedEntryRow extends Row {
  artists: string;
  filters: string;
}

/** Reads what the index needs of live tracks. */
export class IndexEntryReader {
  readonly #database: Database;
  readonly #rows: ReferringRows;
  readonly #maker: EntryMaker;

  constructor(database: Database, rows: ReferringRows) {
    this.#database = database;
    this.#rows = rows;
    this.#maker = new EntryMaker(rows.references);
  }

  /** Returns the entries of those of the tracks that are live, in any order. */
  of(ids: readonly string[]): Promise<IndexEntry[]> {
    const sql = `
      SELECT ${ENTRY_COLUMNS} FROM tracks WHERE id = ANY($1::text[]) AND state = 'live'`;
    return this.#entries(sql, [ids]);
  }

  /** Returns the next live tracks after a row id and up to another, in the order of row ids. */
  after(rowId: number, upTo: number, limit: number): Promise<IndexEntry[]> {
    const sql = `
      SELECT ${ENTRY_COLUMNS} FROM tracks WHERE row_id > $1 AND row_id <= $2 AND state = 'live'
      ORDER BY row_id LIMIT $3`;
    return this.#entries(sql, [rowId, upTo, limit]);
  }

  #entries(sql: string, values: readonly Value[]): Promise<IndexEntry[]> {
    return this.#rows.map(
      this.#database,
      () => this.#database.rows<NamedEntryRow>(sql, values),
      (row) => this.#maker.entry(Object.values(row) as unknown as EntryRow),
    );
  }
}

import type { Database } from '../../../../engines/sql/sqlite/database.ts';
import type { TextDocument } from '../../track-document.ts';
import { type ArtistRow, type FilterRow, References } from '../references.ts';
import { DOCUMENT_ROW_COLUMNS, type DocumentRow, documentOf } from '../track-row.ts';

/**
 * The size of the largest page. Longer lists are read with several statements. There is one statement for
 * each length.
 */
const MAX_LIST = 100;

/**
 * The statements by the length of the list. CROSS JOIN makes SQLite keep the order of the list; it finds each
 * row by its key.
 */
export const DOCUMENT_SELECTS: readonly string[] = Array.from(
  { length: MAX_LIST + 1 },
  (_, length) => {
    const list = Array(length).fill('(?)').join();
    return `
    WITH wanted(number) AS (VALUES ${list})
    SELECT ${DOCUMENT_ROW_COLUMNS} FROM wanted CROSS JOIN tracks ON row_id = number WHERE state = 'live'`;
  },
);

/** Reads the documents of live tracks, which it composes of their rows. */
export class DocumentReader {
  readonly #database: Database;
  readonly #references: References;

  constructor(database: Database, references: References) {
    this.#database = database;
    this.#references = references;
  }

  /** Returns the documents by row id, in the order given; undefined for a track that is not live. */
  async of(numbers: readonly number[]): Promise<(TextDocument | undefined)[]> {
    const documents: (TextDocument | undefined)[] = [];
    for (let from = 0; from < numbers.length; from += MAX_LIST) {
      const list = numbers.slice(from, from + MAX_LIST);
      documents.push(...(await this.#database.view(() => this.#slice(list))));
    }
    return documents;
  }

  /** Returns the document of one live track. */
  named(column: 'id' | 'slug', key: string): Promise<TextDocument | undefined> {
    const sql = `
      SELECT ${DOCUMENT_ROW_COLUMNS} FROM tracks WHERE ${column} = ? AND state = 'live'`;
    return this.#database.view(() => {
      const row = this.#database.prepare(sql).get(key) as DocumentRow | undefined;
      return row && documentOf(row, this.#references);
    });
  }

  #slice(list: readonly number[]): (TextDocument | undefined)[] {
    const rows = this.#database.prepare(DOCUMENT_SELECTS[list.length]!).all(...list);
    // The rows are in the order of the list, without those of tracks that are not live.
    let next = 0;
    return list.map((number) => {
      const row = rows[next] as DocumentRow | undefined;
      if (row?.rowId !== number) return undefined;
      next++;
      return documentOf(row, this.#references);
    });
  }
}

/** Returns the artists and filters of the database, which are read when they are first needed. */
export function referencesOn(database: Database): References {
  const read =
    <Row>(sql: string) =>
    (rowId: number) =>
      database.prepare(sql).get(rowId) as Row | undefined;
  return new References(
    read<ArtistRow>('SELECT row_id AS rowId, id, name FROM artists WHERE row_id = ?'),
    read<FilterRow>('SELECT row_id AS rowId, id, name, slug, type FROM filters WHERE row_id = ?'),
  );
}

import type { DocumentParts, FilterText } from '../../catalog/document-copy.ts';
import {
  DOCUMENT_ROW_COLUMNS,
  type DocumentRow,
  documentPartsOf,
  filterTextOf,
} from '../document-row.ts';
import type { FilterRow } from '../references.ts';
import type { Database, Row } from './database.ts';
import type { ReferringRows } from './referring-rows.ts';

/** The number of documents that are read at once. */
const SLICE = 2_000;

const SELECT = `
  SELECT ${DOCUMENT_ROW_COLUMNS}
  FROM tracks WHERE row_id > $1 AND state = 'live' ORDER BY row_id LIMIT $2`;

/** Reads the documents of all live tracks in the order of row ids. */
export async function* readAllDocuments(
  database: Database,
  rows: ReferringRows,
): AsyncIterable<DocumentParts[]> {
  let lastRowId = 0;
  for (;;) {
    const slice = await database.view((tx) =>
      rows.map(
        tx,
        () => tx.rows<DocumentRow & Row>(SELECT, [lastRowId, SLICE]),
        (row) => documentPartsOf(row, rows.references),
      ),
    );
    if (slice.length === 0) return;
    yield slice;
    lastRowId = slice.at(-1)!.rowId;
  }
}

/** Reads all filters as they appear in documents. */
export async function readFilterTexts(database: Database): Promise<FilterText[]> {
  const sql = 'SELECT row_id AS "rowId", id, name, slug, type FROM filters';
  const rows = await database.rows<FilterRow & Row>(sql, []);
  return rows.map(filterTextOf);
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DocumentParts, FilterText } from '../../catalog/document-copy.ts';
import {
  DOCUMENT_ROW_COLUMNS,
  type DocumentRow,
  documentPartsOf,
  filterTextOf,
} from '../document-row.ts';
import type { FilterRow, References } from '../references.ts';
import type { Database } from './database.ts';

/** The number of documents that are read at once: a few milliseconds. */
const SLICE = 1_000;

const SELECT = `
  SELECT ${DOCUMENT_ROW_COLUMNS}
  FROM tracks WHERE row_id > ? AND state = 'live' ORDER BY row_id LIMIT ?`;

/** Reads the documents of all live tracks in the order of row ids. */
export async function* readAllDocuments(
  database: Database,
  references: References,
): AsyncIterable<DocumentParts[]> {
  let lastRowId = 0;
  for (;;) {
    const slice = await database.view(() => {
      const rows = database.prepare(SELECT).all(lastRowId, SLICE) as unknown as DocumentRow[];
      return rows.map((row) => documentPartsOf(row, references));
    });
    if (slice.length === 0) return;
    yield slice;
    lastRowId = slice.at(-1)!.rowId;
    await nextTurn();
  }
}

/** Reads all filters as they appear in documents. */
export async function readFilterTexts(database: Database): Promise<FilterText[]> {
  const sql = 'SELECT row_id AS rowId, id, name, slug, type FROM filters';
  const rows = await database.read(() => database.prepare(sql).all());
  return (rows as unknown as FilterRow[]).map(filterTextOf);
}

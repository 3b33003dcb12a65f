import type { DocumentParts, FilterText } from '../../catalog/document-copy.ts';
import { DocumentDivider, type FilterRow, filterText, SELECT_FILTERS } from '../document-parts.ts';
import type { Database, Row } from './database.ts';

interface DocumentRow extends Row {
  rowId: number;
  artworkKey: string | null;
  document: string;
}

/** The number of documents that are read at once. */
const SLICE = 2_000;

const SELECT = `
  SELECT row_id AS "rowId", artwork_key AS "artworkKey", document
  FROM tracks WHERE row_id > $1 AND state = 'live' ORDER BY row_id LIMIT $2`;

/** Reads the documents of all live tracks in the order of row ids. */
export async function* readAllDocuments(database: Database): AsyncIterable<DocumentParts[]> {
  const divider = new DocumentDivider(await readFilters(database));
  let lastRowId = 0;
  for (;;) {
    const rows = await database.rows<DocumentRow>(SELECT, [lastRowId, SLICE]);
    if (rows.length === 0) return;
    yield rows.map(({ rowId, artworkKey, document }) => divider.parts(rowId, artworkKey, document));
    lastRowId = rows.at(-1)!.rowId;
  }
}

/** Reads all filters as they appear in documents. */
export async function readFilterTexts(database: Database): Promise<FilterText[]> {
  return (await readFilters(database)).map(filterText);
}

function readFilters(database: Database): Promise<FilterRow[]> {
  return database.rows<FilterRow & Row>(SELECT_FILTERS, []);
}

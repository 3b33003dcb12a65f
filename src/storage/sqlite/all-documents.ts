import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DocumentParts, FilterText } from '../../catalog/document-copy.ts';
import { DocumentDivider, type FilterRow, filterText, SELECT_FILTERS } from '../document-parts.ts';
import type { Database } from './database.ts';

type DocumentRow = [rowId: number, artworkKey: string | null, document: string];

/** The number of documents that are read at once: a few milliseconds. */
const SLICE = 1_000;

const SELECT = `
  SELECT row_id, artwork_key, document FROM tracks WHERE row_id > ? AND state = 'live'
  ORDER BY row_id LIMIT ?`;

/** Reads the documents of all live tracks in the order of row ids. */
export async function* readAllDocuments(database: Database): AsyncIterable<DocumentParts[]> {
  const divider = new DocumentDivider(await readFilters(database));
  let lastRowId = 0;
  for (;;) {
    const rows = (await database.read(() =>
      database.prepareRows(SELECT).all(lastRowId, SLICE),
    )) as unknown as DocumentRow[];
    if (rows.length === 0) return;
    yield rows.map((row) => divider.parts(...row));
    lastRowId = rows.at(-1)![0];
    await nextTurn();
  }
}

/** Reads all filters as they appear in documents. */
export async function readFilterTexts(database: Database): Promise<FilterText[]> {
  return (await readFilters(database)).map(filterText);
}

async function readFilters(database: Database): Promise<FilterRow[]> {
  const rows = await database.read(() => database.prepare(SELECT_FILTERS).all());
  return rows as unknown as FilterRow[];
}

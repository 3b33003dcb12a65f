import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../../../engines/sql/sqlite/database.ts';
import type { LiveDocument } from '../../catalog-stores.ts';
import type { DocumentParts, FilterText } from '../../document-copy.ts';
import type { FilterRow, References } from '../references.ts';
import {
  DOCUMENT_ROW_COLUMNS,
  type DocumentRow,
  documentPartsOf,
  filterTextOf,
  liveDocumentOf,
} from '../track-row.ts';

/** The number of documents that are read at once for a copy: a few milliseconds. */
const COPY_SLICE = 1_000;
/** For a snapshot, which is read in the thread of the requests: less than a millisecond. */
const SNAPSHOT_SLICE = 50;

const SELECT = `
  SELECT ${DOCUMENT_ROW_COLUMNS}
  FROM tracks WHERE row_id > ? AND state = 'live' ORDER BY row_id LIMIT ?`;

/** Reads the documents of all live tracks in the order of row ids. */
export function readAllDocuments(
  database: Database,
  references: References,
): AsyncIterable<DocumentParts[]> {
  return slices(database, { after: 0, limit: COPY_SLICE }, (row) =>
    documentPartsOf(row, references),
  );
}

/** Reads the documents of the live tracks after a row id, in the order of row ids. */
export function readLiveDocuments(
  database: Database,
  references: References,
  after: number,
): AsyncIterable<LiveDocument[]> {
  return slices(database, { after, limit: SNAPSHOT_SLICE }, (row) =>
    liveDocumentOf(row, references),
  );
}

async function* slices<Made extends { rowId: number }>(
  database: Database,
  { after, limit }: { after: number; limit: number },
  make: (row: DocumentRow) => Made,
): AsyncIterable<Made[]> {
  let lastRowId = after;
  for (;;) {
    const slice = await database.view(() => {
      const rows = database.prepare(SELECT).all(lastRowId, limit) as unknown as DocumentRow[];
      return rows.map(make);
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

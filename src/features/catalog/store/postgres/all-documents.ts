import type { Database, Row } from '../../../../engines/sql/postgres/database.ts';
import type { LiveDocument } from '../../catalog-stores.ts';
import type { DocumentParts, FilterText } from '../../document-copy.ts';
import type { FilterRow } from '../references.ts';
import {
  DOCUMENT_ROW_COLUMNS,
  type DocumentRow,
  documentPartsOf,
  filterTextOf,
  liveDocumentOf,
} from '../track-row.ts';
import type { ReferringRows } from './referring-rows.ts';

/** The number of documents that are read at once for a copy. */
const COPY_SLICE = 2_000;
/** For a snapshot, which is read in the thread of the requests: some milliseconds. */
const SNAPSHOT_SLICE = 500;

const SELECT = `
  SELECT ${DOCUMENT_ROW_COLUMNS}
  FROM tracks WHERE row_id > $1 AND state = 'live' ORDER BY row_id LIMIT $2`;

/** Reads the documents of all live tracks in the order of row ids. */
export function readAllDocuments(
  database: Database,
  rows: ReferringRows,
): AsyncIterable<DocumentParts[]> {
  return slices({ database, rows }, { after: 0, limit: COPY_SLICE }, (row) =>
    documentPartsOf(row, rows.references),
  );
}

/** Reads the documents of the live tracks after a row id, in the order of row ids. */
export function readLiveDocuments(
  database: Database,
  rows: ReferringRows,
  after: number,
): AsyncIterable<LiveDocument[]> {
  return slices({ database, rows }, { after, limit: SNAPSHOT_SLICE }, (row) =>
    liveDocumentOf(row, rows.references),
  );
}

async function* slices<Made extends { rowId: number }>(
  { database, rows }: { database: Database; rows: ReferringRows },
  { after, limit }: { after: number; limit: number },
  make: (row: DocumentRow) => Made,
): AsyncIterable<Made[]> {
  let lastRowId = after;
  for (;;) {
    const slice = await database.view((tx) =>
      rows.map(tx, () => tx.rows<DocumentRow & Row>(SELECT, [lastRowId, limit]), make),
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

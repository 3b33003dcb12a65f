import type { DocumentParts, FilterText } from '../../catalog/document-copy.ts';
import { type FilterRow, filterJson } from '../references.ts';
import { TRACK_ROW_COLUMNS, type TrackRow, trackJson } from '../track-row.ts';
import type { Database, Row } from './database.ts';
import type { ReferringRows } from './referring-rows.ts';

interface DocumentRow extends TrackRow, Row {
  rowId: number;
  artworkKey: string | null;
}

/** The number of documents that are read at once. */
const SLICE = 2_000;

const SELECT = `
  SELECT row_id AS "rowId", artwork_key AS "artworkKey", ${TRACK_ROW_COLUMNS}
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
        () => tx.rows<DocumentRow>(SELECT, [lastRowId, SLICE]),
        (row): DocumentParts => {
          const { rowId, artworkKey } = row;
          return { rowId, artworkKey, ...trackJson(row, rows.references) };
        },
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
  return rows.map((row) => ({ rowId: row.rowId, json: filterJson(row) }));
}

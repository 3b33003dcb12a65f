import type { LiveDocument } from '../catalog-stores.ts';
import type { DocumentParts, FilterText } from '../document-copy.ts';
import { type TextDocument, toDocument } from '../track-document.ts';
import { type FilterRow, filterJson, type References } from './references.ts';
import { serializedTrack, TRACK_ROW_COLUMNS, type TrackRow, trackJson } from './track-row.ts';

/** A row of `tracks` with everything that its document needs. */
export interface DocumentRow extends TrackRow {
  rowId: number;
  artworkKey: string | null;
}

/** The columns of `DocumentRow`, for SELECT. */
export const DOCUMENT_ROW_COLUMNS = `row_id AS "rowId", artwork_key AS "artworkKey", ${TRACK_ROW_COLUMNS}`;

/** Returns the document of a row. */
export function documentOf(row: DocumentRow, references: References): TextDocument {
  return toDocument(serializedTrack(row, references), row.artworkKey);
}

/** Returns the document of a row with its row id. */
export function liveDocumentOf(row: DocumentRow, references: References): LiveDocument {
  return { rowId: row.rowId, document: documentOf(row, references) };
}

/** Returns the parts of the document of a row, for the document file. */
export function documentPartsOf(row: DocumentRow, references: References): DocumentParts {
  const { rowId, artworkKey } = row;
  return { rowId, artworkKey, ...trackJson(row, references) };
}

/** Returns a filter as the document file stores it. */
export function filterTextOf(filter: FilterRow): FilterText {
  return { rowId: filter.rowId, json: filterJson(filter) };
}

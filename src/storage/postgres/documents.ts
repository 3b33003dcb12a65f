import { type TextDocument, toDocument } from '../../catalog/track-document.ts';
import type { Row, Value } from './database.ts';

/** Reads rows: the database, or the gate of its replica. */
export interface RowReader {
  rows<T extends Row>(sql: string, values: readonly Value[]): Promise<T[]>;
}

interface DocumentRow extends Row {
  rowId: number;
  artwork_key: string | null;
  document: string;
}

const SELECT = `
  SELECT row_id AS "rowId", artwork_key, document FROM tracks WHERE row_id = ANY($1::bigint[]) AND state = 'live'`;

/** Returns the documents of tracks by row id, in the order given; undefined for a track that is not live. */
export async function readDocuments(
  reader: RowReader,
  numbers: readonly number[],
): Promise<(TextDocument | undefined)[]> {
  const rows = await reader.rows<DocumentRow>(SELECT, [numbers]);
  const documents = new Map(
    rows.map(({ rowId, document, artwork_key }) => [rowId, toDocument(document, artwork_key)]),
  );
  return numbers.map((number) => documents.get(number));
}

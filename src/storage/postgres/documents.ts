import type { TrackDocument } from '../../catalog/track.ts';
import { toDocument } from '../../catalog/track-document.ts';
import type { Row, Value } from './database.ts';

/** Who reads rows: the database, or the gate before its replica. */
export interface RowReader {
  rows<T extends Row>(sql: string, values: readonly Value[]): Promise<T[]>;
}

interface DocumentRow extends Row {
  no: number;
  artwork_key: string | null;
  document: string;
}

const SELECT = `
  SELECT no, artwork_key, document FROM tracks WHERE no = ANY($1::bigint[]) AND state = 'live'`;

/** The documents of live tracks by number, in the order asked; undefined for what is not live. */
export async function readDocuments(
  reader: RowReader,
  numbers: readonly number[],
): Promise<(TrackDocument | undefined)[]> {
  const rows = await reader.rows<DocumentRow>(SELECT, [numbers]);
  const documents = new Map(
    rows.map(({ no, document, artwork_key }) => [no, toDocument(document, artwork_key)]),
  );
  return numbers.map((number) => documents.get(number));
}

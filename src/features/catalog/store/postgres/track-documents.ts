import type { Row, Value } from '../../../../engines/sql/postgres/database.ts';
import type { TextDocument } from '../../track-document.ts';
import { DOCUMENT_ROW_COLUMNS, type DocumentRow, documentOf } from '../track-row.ts';
import type { ReferringRows, RowReader } from './referring-rows.ts';

const SELECT = `SELECT ${DOCUMENT_ROW_COLUMNS} FROM tracks`;

/** Reads the documents of live tracks. */
export class DocumentReader {
  readonly #rows: ReferringRows;

  constructor(rows: ReferringRows) {
    this.#rows = rows;
  }

  /** Returns the documents by row id, in the order given; undefined for a track that is not live. */
  async byRowId(
    reader: RowReader,
    rowIds: readonly number[],
  ): Promise<(TextDocument | undefined)[]> {
    const found = await this.#read(reader, 'row_id = ANY($1::bigint[])', [rowIds]);
    const documents = new Map(found);
    return rowIds.map((rowId) => documents.get(rowId));
  }

  /** Returns the document of one track, by its slug or id. */
  async byName(
    reader: RowReader,
    column: 'id' | 'slug',
    key: string,
  ): Promise<TextDocument | undefined> {
    return (await this.#read(reader, `${column} = $1`, [key]))[0]?.[1];
  }

  #read(reader: RowReader, where: string, values: readonly Value[]) {
    return this.#rows.map(
      reader,
      () => reader.rows<DocumentRow & Row>(`${SELECT} WHERE ${where} AND state = 'live'`, values),
      (row): [number, TextDocument] => [row.rowId, documentOf(row, this.#rows.references)],
    );
  }
}

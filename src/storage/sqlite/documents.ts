import { type TextDocument, toDocument } from '../../catalog/track-document.ts';
import type { Database } from './database.ts';

type DocumentRow = [rowId: number, artworkKey: string | null, document: string];

/**
 * The size of the largest page. Longer lists are read with several statements. There is one statement for
 * each length.
 */
const MAX_LIST = 100;

/**
 * The statements by the length of the list. CROSS JOIN makes SQLite keep the order of the list; it finds each
 * row by its key.
 */
export const DOCUMENT_SELECTS: readonly string[] = Array.from(
  { length: MAX_LIST + 1 },
  (_, length) => {
    const list = Array(length).fill('(?)').join();
    return `
    WITH wanted(number) AS (VALUES ${list})
    SELECT row_id, artwork_key, document FROM wanted CROSS JOIN tracks ON row_id = number
    WHERE state = 'live'`;
  },
);

/** Returns the documents of tracks by row id, in the order given; undefined for a track that is not live. */
export async function readDocuments(
  database: Database,
  numbers: readonly number[],
): Promise<(TextDocument | undefined)[]> {
  const documents: (TextDocument | undefined)[] = [];
  for (let from = 0; from < numbers.length; from += MAX_LIST) {
    const list = numbers.slice(from, from + MAX_LIST);
    const rows = await database.read(() =>
      database.prepareRows(DOCUMENT_SELECTS[list.length]!).all(...list),
    );
    documents.push(...inOrder(list, rows as unknown as DocumentRow[]));
  }
  return documents;
}

/**
 * Returns the documents in the order of the list, and undefined for each number that has no row. The rows
 * must be in that order.
 */
function inOrder(
  list: readonly number[],
  rows: readonly DocumentRow[],
): (TextDocument | undefined)[] {
  let next = 0;
  return list.map((number) => {
    const row = rows[next];
    if (row?.[0] !== number) return undefined;
    next++;
    return toDocument(row[2], row[1]);
  });
}

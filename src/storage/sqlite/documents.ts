import type { TrackDocument } from '../../catalog/track.ts';
import { toDocument } from '../../catalog/track-document.ts';
import type { Database } from './database.ts';

type DocumentRow = [no: number, artworkKey: string | null, document: string];

/** The largest page. A longer list is read in several statements, of which there is one a length. */
const MAX_LIST = 100;

/** By the length of the list. CROSS JOIN holds SQLite to its order; each row is one descent of a B-tree. */
export const DOCUMENT_SELECTS: readonly string[] = Array.from(
  { length: MAX_LIST + 1 },
  (_, length) => {
    const list = Array(length).fill('(?)').join();
    return `
    WITH wanted(number) AS (VALUES ${list})
    SELECT no, artwork_key, document FROM wanted CROSS JOIN tracks ON no = number
    WHERE state = 'live'`;
  },
);

/** The documents of live tracks by number, in the order asked; undefined for what is not live. */
export async function readDocuments(
  database: Database,
  numbers: readonly number[],
): Promise<(TrackDocument | undefined)[]> {
  const documents: (TrackDocument | undefined)[] = [];
  for (let from = 0; from < numbers.length; from += MAX_LIST) {
    const list = numbers.slice(from, from + MAX_LIST);
    const rows = await database.read(() =>
      database.prepareRows(DOCUMENT_SELECTS[list.length]!).all(...list),
    );
    documents.push(...inOrder(list, rows as unknown as DocumentRow[]));
  }
  return documents;
}

/** The documents of rows that come in the order of the list, and undefined for each that has no row. */
function inOrder(
  list: readonly number[],
  rows: readonly DocumentRow[],
): (TrackDocument | undefined)[] {
  let next = 0;
  return list.map((number) => {
    const row = rows[next];
    if (row?.[0] !== number) return undefined;
    next++;
    return toDocument(row[2], row[1]);
  });
}

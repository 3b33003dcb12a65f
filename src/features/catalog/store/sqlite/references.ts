import type { Database } from '../../../../engines/sql/sqlite/database.ts';
import { type ArtistRow, type FilterRow, References } from '../references.ts';

/** Returns the artists and filters of the database, which are read when they are first needed. */
export function referencesOn(database: Database): References {
  const read =
    <Row>(sql: string) =>
    (rowId: number) =>
      database.prepare(sql).get(rowId) as Row | undefined;
  return new References(
    read<ArtistRow>('SELECT row_id AS rowId, id, name FROM artists WHERE row_id = ?'),
    read<FilterRow>('SELECT row_id AS rowId, id, name, slug, type FROM filters WHERE row_id = ?'),
  );
}

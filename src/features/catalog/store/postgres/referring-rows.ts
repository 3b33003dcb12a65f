import type { Row, Value } from '../../../../engines/sql/postgres/database.ts';
import { type ArtistRow, type FilterRow, References } from '../references.ts';

/** Reads rows, each with a `rowId`: the database or a transaction. */
export interface RowReader {
  rows<T extends Row>(sql: string, values: readonly Value[]): Promise<T[]>;
}

/** A row of `tracks`, with the lists of what it refers to. */
interface ReferringRow extends Row {
  artists: string;
  filters: string;
}

/** Even if each of these tracks has the most credits, their artists fit in memory. */
const CHUNK = 500;
/** How often tracks, or what they refer to, are read if that was removed or displaced meanwhile. */
const MAX_TRIES = 3;

/** Artists have neither a slug nor a type. */
const REFERRED = `
  SELECT row_id AS "rowId", id, name, NULL AS slug, NULL AS type
  FROM artists WHERE row_id = ANY($1::bigint[])
  UNION ALL SELECT row_id, id, name, slug, type FROM filters WHERE row_id = ANY($2::bigint[])`;

/** Reads tracks with the artists and filters that they refer to, which it keeps in memory. */
export class ReferringRows {
  /** Row ids come from sequences, so they are not even reused after a rollback. */
  readonly references = new References();

  /**
   * Returns what `make` makes of each row that `read` returns. Before that, reads from `reader` what the rows
   * refer to.
   */
  async map<Read extends ReferringRow, Made>(
    reader: RowReader,
    read: () => Promise<Read[]>,
    make: (row: Read) => Made,
  ): Promise<Made[]> {
    for (let tries = 1; ; tries++) {
      const rows = await read();
      const made: Made[] = [];
      for (let start = 0; start < rows.length; start += CHUNK) {
        const chunk = rows.slice(start, start + CHUNK);
        const isComplete = await this.#learn(reader, chunk);
        // Between the two statements, tracks were changed, and what they referred to was removed.
        if (!isComplete && tries < MAX_TRIES) break;
        for (const row of chunk) made.push(make(row));
      }
      if (made.length === rows.length) return made;
    }
  }

  /**
   * Reads what the rows refer to and is not in memory. Returns whether everything is there. Repeats this,
   * because while it reads, other calls may displace artists that were in memory.
   */
  async #learn(reader: RowReader, rows: readonly ReferringRow[]): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      const { artists, filters } = this.references.lacking(rows);
      if (artists.length + filters.length === 0) return true;
      if (tries > MAX_TRIES) return false;
      const found = await reader.rows<(FilterRow | (ArtistRow & { type: null })) & Row>(REFERRED, [
        artists,
        filters,
      ]);
      this.references.add(
        found.filter((row) => row.type === null),
        found.filter((row) => row.type !== null),
      );
      if (found.length < artists.length + filters.length) return false;
    }
  }
}

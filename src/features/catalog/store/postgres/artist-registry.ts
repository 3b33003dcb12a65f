import { BoundedMap } from '../../../../common/memory/bounded-map.ts';
import type { Transaction } from '../../../../engines/sql/postgres/database.ts';
import type { DeliveredCredit } from '../../track.ts';

/** The number of artists whose row ids are kept between tracks; about 8 MB when full. */
const MAX_REMEMBERED = 50_000;

/** The limit makes the server look each artist up by the index, whatever it expects of the table. */
const KNOWN = `
  FROM unnest($1::text[], $2::text[], $3::text[]) AS given (id, name, external_id)
  LEFT JOIN LATERAL (
    SELECT row_id FROM artists
    WHERE artists.id = given.id AND md5(artists.name) = md5(given.name) AND artists.name = given.name LIMIT 1
  ) artist ON true`;
const FIND = `
  SELECT artist.row_id AS "rowId", given.id, given.name ${KNOWN} WHERE artist.row_id IS NOT NULL`;
/** The lock of all writers makes both parts see one state. */
const FIND_OR_CREATE = `
  WITH known AS (
    SELECT artist.row_id, given.id, given.name, given.external_id ${KNOWN}
  ), created AS (
    INSERT INTO artists (id, name, external_id)
    SELECT id, name, external_id FROM known WHERE row_id IS NULL
    RETURNING row_id, id, name
  )
  SELECT row_id AS "rowId", id, name FROM known WHERE row_id IS NOT NULL
  UNION ALL SELECT * FROM created`;

/** Finds and creates the artists of deliveries, many at a time. An artist has a row for each credited name. */
export class ArtistRegistry {
  /** By id and name: the row id. */
  readonly #remembered = new BoundedMap<string, number>(MAX_REMEMBERED);

  /**
   * Call this when another process may have removed artists, and when a transaction that created some was
   * rolled back.
   */
  forget(): void {
    this.#remembered.clear();
  }

  /**
   * Returns the row ids of each list of credits, in order. Creates missing artists if `create` is true;
   * otherwise returns undefined for a list with a missing artist.
   */
  async resolve(
    tx: Transaction,
    lists: readonly (readonly DeliveredCredit[])[],
    create: boolean,
  ): Promise<(number[] | undefined)[]> {
    const found = new Map<string, number>();
    const others = new Map<string, DeliveredCredit>();
    for (const credit of lists.flat()) {
      const key = keyOf(credit);
      const rowId = this.#remembered.get(key);
      if (rowId === undefined) others.set(key, credit);
      else found.set(key, rowId);
    }
    if (others.size > 0) await this.#find(tx, [...others.values()], found, create);
    return lists.map((credits) => {
      const rowIds = credits.map((credit) => found.get(keyOf(credit)));
      return rowIds.every((one) => one !== undefined) ? rowIds : undefined;
    });
  }

  async #find(
    tx: Transaction,
    credits: readonly DeliveredCredit[],
    found: Map<string, number>,
    create: boolean,
  ): Promise<void> {
    const rows = await tx.rows<{ rowId: number; id: string; name: string }>(
      create ? FIND_OR_CREATE : FIND,
      [
        credits.map(({ id }) => id),
        credits.map(({ name }) => name),
        credits.map(({ externalId }) => externalId),
      ],
    );
    for (const row of rows) {
      found.set(keyOf(row), row.rowId);
      if (create) this.#remembered.set(keyOf(row), row.rowId);
    }
  }
}

/** All ids have the same length. */
function keyOf({ id, name }: { id: string; name: string }): string {
  return id + name;
}

import { BoundedMap, keptIn } from '../../../../common/memory/caches.ts';
import { slugBase } from '../../../../common/text/slug.ts';
import type { Transaction } from '../../../../engines/sql/postgres/database.ts';
import { allocateSlugs } from '../../../../engines/sql/postgres/slug-allocator.ts';
import { type DeliveredCredit, type DeliveredFilter, filterId } from '../../track.ts';

/** The number of artists whose row ids are kept between tracks; about 8 MB when full. */
const MAX_ARTISTS = 50_000;

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
  readonly #known = new BoundedMap<string, number>(MAX_ARTISTS);

  /**
   * Call this when another process may have removed artists, and when a transaction that created some was
   * rolled back.
   */
  forget(): void {
    this.#known.clear();
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
      const rowId = this.#known.get(key);
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
      if (create) this.#known.set(keyOf(row), row.rowId);
    }
  }
}

/** All ids have the same length. */
function keyOf({ id, name }: { id: string; name: string }): string {
  return id + name;
}

/** More than any real catalog has. A catalog with more filters costs time, not memory. */
const MAX_FILTERS = 10_000;

/**
 * Finds and creates the filters of deliveries. The type and the slug of the name identify a filter: two
 * spellings with one slug are one filter, which keeps its first name (docs/contract/import.md#identifiers).
 */
export class FilterRegistry {
  /** The id of a filter, by its type and its name as delivered. */
  readonly #ids = new BoundedMap<string, string>(MAX_FILTERS);
  /** The row id of a stored filter, by its id. */
  readonly #known = new BoundedMap<string, number>(MAX_FILTERS);

  /**
   * Returns the row ids of each list of filters, in order and without duplicates. Creates missing filters if `create` is
   * true; otherwise returns undefined for a list with a missing filter. Runs within a transaction, which must
   * be a write transaction if `create` is true.
   */
  async resolve(
    tx: Transaction,
    lists: readonly (readonly DeliveredFilter[])[],
    create: boolean,
  ): Promise<(number[] | undefined)[]> {
    const wanted = new Map<string, DeliveredFilter>();
    const idLists = lists.map((list) => list.map((one) => this.#want(one, wanted)));
    const found = await this.#find(tx, [...wanted.keys()]);
    if (create) await this.#create(tx, wanted, found);
    return idLists.map((ids) => {
      const rowIds = [...new Set(ids)].map((id) => found.get(id));
      return rowIds.every((one) => one !== undefined) ? rowIds : undefined;
    });
  }

  /** Call this when another connection wrote, and when a transaction that created filters was rolled back. */
  forget(): void {
    this.#known.clear();
  }

  #want(filter: DeliveredFilter, wanted: Map<string, DeliveredFilter>): string {
    const key = `${filter.type}:${filter.name}`;
    const id = keptIn(this.#ids, key, () => filterId(filter));
    if (!wanted.has(id)) wanted.set(id, filter);
    return id;
  }

  async #find(tx: Transaction, ids: readonly string[]): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    for (const id of ids) {
      const rowId = this.#known.get(id);
      if (rowId !== undefined) found.set(id, rowId);
    }
    const others = ids.filter((id) => !found.has(id));
    if (others.length === 0) return found;
    const sql = 'SELECT row_id AS "rowId", id FROM filters WHERE id = ANY($1::text[])';
    this.#keep(await tx.rows(sql, [others]), found);
    return found;
  }

  async #create(
    tx: Transaction,
    wanted: ReadonlyMap<string, DeliveredFilter>,
    found: Map<string, number>,
  ): Promise<void> {
    const missing = [...wanted].filter(([id]) => !found.has(id));
    if (missing.length === 0) return;
    const bases = missing.map(([id, { name }]) => slugBase('filter', name, id));
    const slugs = await allocateSlugs(tx, 'filter', bases);
    const sql = `
      INSERT INTO filters (id, slug, type, name)
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
      RETURNING row_id AS "rowId", id`;
    const created = await tx.rows<{ rowId: number; id: string }>(sql, [
      missing.map(([id]) => id),
      slugs,
      missing.map(([, { type }]) => type),
      missing.map(([, { name }]) => name),
    ]);
    this.#keep(created, found);
  }

  #keep(rows: readonly { rowId: number; id: string }[], found: Map<string, number>): void {
    for (const { rowId, id } of rows) {
      this.#known.set(id, rowId);
      found.set(id, rowId);
    }
  }
}

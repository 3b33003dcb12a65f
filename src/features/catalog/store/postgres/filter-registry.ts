import { derivedId } from '../../../../common/ids.ts';
import { BoundedMap } from '../../../../common/memory/bounded-map.ts';
import { slugBase, slugify } from '../../../../common/text/slug.ts';
import type { Transaction } from '../../../../engines/sql/postgres/database.ts';
import { allocateSlugs } from '../../../../engines/sql/postgres/slug-allocator.ts';
import type { DeliveredFilter } from '../../track.ts';

/** More than any real catalog has. A catalog with more filters costs time, not memory. */
const MAX_REMEMBERED = 10_000;

/**
 * Finds and creates the filters of deliveries. The type and the slug of the name identify a filter: two
 * spellings with one slug are one filter, which keeps its first name (docs/contract/import.md#identifiers).
 */
export class FilterRegistry {
  /** The id of a filter, by its type and its name as delivered. */
  readonly #ids = new BoundedMap<string, string>(MAX_REMEMBERED);
  /** The row id of a stored filter, by its id. */
  readonly #remembered = new BoundedMap<string, number>(MAX_REMEMBERED);

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
    this.#remembered.clear();
  }

  #want(filter: DeliveredFilter, wanted: Map<string, DeliveredFilter>): string {
    const key = `${filter.type}:${filter.name}`;
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = filterId(filter);
      this.#ids.set(key, id);
    }
    if (!wanted.has(id)) wanted.set(id, filter);
    return id;
  }

  async #find(tx: Transaction, ids: readonly string[]): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    for (const id of ids) {
      const rowId = this.#remembered.get(id);
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
      this.#remembered.set(id, rowId);
      found.set(id, rowId);
    }
  }
}

/** If no slug can be made of the name, the name itself identifies the filter. */
function filterId({ type, name }: DeliveredFilter): string {
  return derivedId('filter', type, slugify(name) || name);
}

import { LRUCache } from 'lru-cache';
import type { Filter } from '../../catalog/filter.ts';
import { slugBase, slugify } from '../../catalog/slug.ts';
import type { DeliveredFilter } from '../../catalog/track.ts';
import { derivedId } from '../../common/ids.ts';
import type { Transaction } from './database.ts';
import { allocateSlugs } from './slug-allocator.ts';

/** A stored filter, with its row id. */
export interface StoredFilter {
  rowId: number;
  filter: Filter;
}

/** More than any real catalog has. A catalog with more filters costs time, not memory. */
const MAX_REMEMBERED = 10_000;

/**
 * Finds and creates the filters of deliveries. The type and the slug of the name identify a filter: two
 * spellings with one slug are one filter, which keeps its first name (docs/contract/import.md#identifiers).
 */
export class FilterRegistry {
  /** The id of a filter, by its type and its name as delivered. */
  readonly #ids = new LRUCache<string, string>({ max: MAX_REMEMBERED });
  /** The stored filter, by its id. */
  readonly #remembered = new LRUCache<string, StoredFilter>({ max: MAX_REMEMBERED });

  /**
   * Returns the filters of each list, in order and without duplicates. Creates missing filters if `create` is
   * true; otherwise returns undefined for a list with a missing filter. Runs within a transaction, which must
   * be a write transaction if `create` is true.
   */
  async resolve(
    tx: Transaction,
    lists: readonly (readonly DeliveredFilter[])[],
    create: boolean,
  ): Promise<(StoredFilter[] | undefined)[]> {
    const wanted = new Map<string, DeliveredFilter>();
    const idLists = lists.map((list) => list.map((one) => this.#want(one, wanted)));
    const found = await this.#find(tx, [...wanted.keys()]);
    if (create) await this.#create(tx, wanted, found);
    return idLists.map((ids) => {
      const filters = [...new Set(ids)].map((id) => found.get(id));
      return filters.every((one) => one !== undefined) ? filters : undefined;
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

  async #find(tx: Transaction, ids: readonly string[]): Promise<Map<string, StoredFilter>> {
    const found = new Map<string, StoredFilter>();
    for (const id of ids) {
      const remembered = this.#remembered.get(id);
      if (remembered !== undefined) found.set(id, remembered);
    }
    const others = ids.filter((id) => !found.has(id));
    if (others.length === 0) return found;
    const sql =
      'SELECT row_id AS "rowId", id, name, slug, type FROM filters WHERE id = ANY($1::text[])';
    for (const { rowId, ...filter } of await tx.rows<Filter & { rowId: number }>(sql, [others])) {
      this.#keep({ rowId, filter }, found);
    }
    return found;
  }

  async #create(
    tx: Transaction,
    wanted: ReadonlyMap<string, DeliveredFilter>,
    found: Map<string, StoredFilter>,
  ): Promise<void> {
    const missing = [...wanted].filter(([id]) => !found.has(id));
    const bases = missing.map(([id, { name }]) => slugBase('filter', name, id));
    const slugs = await allocateSlugs(tx, 'filter', bases);
    const sql =
      'INSERT INTO filters (id, slug, type, name) VALUES ($1, $2, $3, $4) RETURNING row_id AS "rowId"';
    for (const [i, [id, { type, name }]] of missing.entries()) {
      const slug = slugs[i]!;
      const [row] = await tx.rows<{ rowId: number }>(sql, [id, slug, type, name]);
      this.#keep({ rowId: row!.rowId, filter: { id, name, slug, type } }, found);
    }
  }

  #keep(stored: StoredFilter, found: Map<string, StoredFilter>): void {
    this.#remembered.set(stored.filter.id, stored);
    found.set(stored.filter.id, stored);
  }
}

/** If no slug can be made of the name, the name itself identifies the filter. */
function filterId({ type, name }: DeliveredFilter): string {
  return derivedId('filter', type, slugify(name) || name);
}

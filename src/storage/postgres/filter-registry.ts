import { LRUCache } from 'lru-cache';
import type { Filter } from '../../catalog/filter.ts';
import { slugBase, slugify } from '../../catalog/slug.ts';
import type { DeliveredFilter } from '../../catalog/track.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { Transaction } from './database.ts';
import { allocateSlugs } from './slug-allocator.ts';

/** A filter as stored, with its table's own number. */
export interface StoredFilter {
  no: number;
  filter: Filter;
}

/** More than any catalog has; an adversarial one costs time, not memory. */
const MAX_REMEMBERED = 10_000;

/**
 * Finds and makes filters for deliveries. A filter is what its type and the slug of its name say:
 * two spellings with one slug are one filter, which keeps the name that came first (decisions §8, Ids).
 */
export class FilterRegistry {
  /** By type and name as delivered: the id. */
  readonly #ids = new LRUCache<string, string>({ max: MAX_REMEMBERED });
  /** By id. */
  readonly #remembered = new LRUCache<string, StoredFilter>({ max: MAX_REMEMBERED });

  /**
   * The filters of each list in their order, each once, made where there are none and `create` says
   * so, else undefined for a list that has one of those. Within a (write) transaction.
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

  /** To be called when another connection wrote, or a transaction that made filters was undone. */
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
    const sql = 'SELECT no, id, name, slug, type FROM filters WHERE id = ANY($1::text[])';
    for (const { no, ...filter } of await tx.rows<Filter & { no: number }>(sql, [others])) {
      this.#keep({ no, filter }, found);
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
    const sql = 'INSERT INTO filters (id, slug, type, name) VALUES ($1, $2, $3, $4) RETURNING no';
    for (const [i, [id, { type, name }]] of missing.entries()) {
      const slug = slugs[i]!;
      const [row] = await tx.rows<{ no: number }>(sql, [id, slug, type, name]);
      this.#keep({ no: row!.no, filter: { id, name, slug, type } }, found);
    }
  }

  #keep(stored: StoredFilter, found: Map<string, StoredFilter>): void {
    this.#remembered.set(stored.filter.id, stored);
    found.set(stored.filter.id, stored);
  }
}

/** A name of which no slug is left stands for itself. */
function filterId({ type, name }: DeliveredFilter): string {
  return derivedId('filter', type, slugify(name) || name);
}

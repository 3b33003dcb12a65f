import { LRUCache } from 'lru-cache';
import type { Filter } from '../../catalog/filter.ts';
import { slugBase, slugify } from '../../catalog/slug.ts';
import type { DeliveredFilter } from '../../catalog/track.ts';
import { derivedId } from '../../common/ids.ts';
import type { Database } from './database.ts';
import { allocateSlug } from './slug-allocator.ts';

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
  readonly #database: Database;
  /** The stored filter, by its type and its name as delivered. */
  readonly #remembered = new LRUCache<string, StoredFilter>({ max: MAX_REMEMBERED });

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Returns the filters in order and without duplicates. Creates missing ones. Runs within a write
   * transaction.
   */
  resolve(delivered: readonly DeliveredFilter[]): StoredFilter[] {
    return unique(delivered.map((one) => this.#find(one) ?? this.#create(one)));
  }

  /** Like `resolve`, but creates nothing: returns undefined if a filter is missing. */
  lookUp(delivered: readonly DeliveredFilter[]): StoredFilter[] | undefined {
    const found = delivered.map((one) => this.#find(one));
    return found.every((one) => one !== undefined) ? unique(found) : undefined;
  }

  /** Call this when another connection wrote, and when a transaction that created filters was rolled back. */
  forget(): void {
    this.#remembered.clear();
  }

  #find(delivered: DeliveredFilter): StoredFilter | undefined {
    const key = `${delivered.type}:${delivered.name}`;
    const remembered = this.#remembered.get(key);
    if (remembered !== undefined) return remembered;
    const row = this.#database
      .prepare('SELECT row_id AS rowId, id, name, slug, type FROM filters WHERE id = ?')
      .get(filterId(delivered)) as (Filter & { rowId: number }) | undefined;
    if (row === undefined) return undefined;
    const { rowId, id, name, slug, type } = row;
    const stored = { rowId, filter: { id, name, slug, type } };
    this.#remembered.set(key, stored);
    return stored;
  }

  #create(delivered: DeliveredFilter): StoredFilter {
    const { type, name } = delivered;
    const id = filterId(delivered);
    const slug = allocateSlug(this.#database, 'filter', slugBase('filter', name, id));
    const { lastInsertRowid } = this.#database
      .prepare('INSERT INTO filters (id, slug, type, name) VALUES (?, ?, ?, ?)')
      .run(id, slug, type, name);
    const stored = { rowId: Number(lastInsertRowid), filter: { id, name, slug, type } };
    this.#remembered.set(`${type}:${name}`, stored);
    return stored;
  }
}

/** If no slug can be made of the name, the name itself identifies the filter. */
function filterId({ type, name }: DeliveredFilter): string {
  return derivedId('filter', type, slugify(name) || name);
}

function unique(filters: StoredFilter[]): StoredFilter[] {
  return filters.filter((one, i) => filters.findIndex((other) => other.rowId === one.rowId) === i);
}

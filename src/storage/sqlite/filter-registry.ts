import { LRUCache } from 'lru-cache';
import type { Filter } from '../../catalog/filter.ts';
import { slugBase, slugify } from '../../catalog/slug.ts';
import type { DeliveredFilter } from '../../catalog/track.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { Database } from './database.ts';
import { allocateSlug } from './slug-allocator.ts';

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
  readonly #database: Database;
  /** By type and name as delivered. */
  readonly #remembered = new LRUCache<string, StoredFilter>({ max: MAX_REMEMBERED });

  constructor(database: Database) {
    this.#database = database;
  }

  /** The filters in their order, each once, made where there are none; within a write transaction. */
  resolve(delivered: readonly DeliveredFilter[]): StoredFilter[] {
    return unique(delivered.map((one) => this.#find(one) ?? this.#create(one)));
  }

  /** As resolve, but makes nothing: undefined where one of them is not there yet. */
  lookUp(delivered: readonly DeliveredFilter[]): StoredFilter[] | undefined {
    const found = delivered.map((one) => this.#find(one));
    return found.every((one) => one !== undefined) ? unique(found) : undefined;
  }

  /** To be called when another connection wrote, or a transaction that made filters was undone. */
  forget(): void {
    this.#remembered.clear();
  }

  #find(delivered: DeliveredFilter): StoredFilter | undefined {
    const key = `${delivered.type}:${delivered.name}`;
    const remembered = this.#remembered.get(key);
    if (remembered !== undefined) return remembered;
    const row = this.#database
      .prepare('SELECT no, id, name, slug, type FROM filters WHERE id = ?')
      .get(filterId(delivered)) as (Filter & { no: number }) | undefined;
    if (row === undefined) return undefined;
    const { no, id, name, slug, type } = row;
    const stored = { no, filter: { id, name, slug, type } };
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
    const stored = { no: Number(lastInsertRowid), filter: { id, name, slug, type } };
    this.#remembered.set(`${type}:${name}`, stored);
    return stored;
  }
}

/** A name of which no slug is left stands for itself. */
function filterId({ type, name }: DeliveredFilter): string {
  return derivedId('filter', type, slugify(name) || name);
}

function unique(filters: StoredFilter[]): StoredFilter[] {
  return filters.filter((one, i) => filters.findIndex((other) => other.no === one.no) === i);
}

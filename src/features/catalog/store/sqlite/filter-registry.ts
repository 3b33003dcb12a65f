import { derivedId } from '../../../../common/ids.ts';
import { BoundedMap } from '../../../../common/memory/bounded-map.ts';
import { slugBase, slugify } from '../../../../common/text/slug.ts';
import type { Database } from '../../../../engines/sql/sqlite/database.ts';
import { allocateSlug } from '../../../../engines/sql/sqlite/slug-allocator.ts';
import type { DeliveredFilter } from '../../track.ts';

/** More than any real catalog has. A catalog with more filters costs time, not memory. */
const MAX_REMEMBERED = 10_000;

/**
 * Finds and creates the filters of deliveries. The type and the slug of the name identify a filter: two
 * spellings with one slug are one filter, which keeps its first name (docs/contract/import.md#identifiers).
 */
export class FilterRegistry {
  readonly #database: Database;
  /** The row id, by the type and the name as delivered. */
  readonly #remembered = new BoundedMap<string, number>(MAX_REMEMBERED);

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Returns the row ids in order and without duplicates. Creates missing filters. Runs within a write
   * transaction.
   */
  resolve(delivered: readonly DeliveredFilter[]): number[] {
    return unique(delivered.map((one) => this.#find(one) ?? this.#create(one)));
  }

  /** Like `resolve`, but creates nothing: returns undefined if a filter is missing. */
  lookUp(delivered: readonly DeliveredFilter[]): number[] | undefined {
    const found = delivered.map((one) => this.#find(one));
    return found.every((rowId) => rowId !== undefined) ? unique(found) : undefined;
  }

  /** Call this when another connection wrote, and when a transaction that created filters was rolled back. */
  forget(): void {
    this.#remembered.clear();
  }

  #find(delivered: DeliveredFilter): number | undefined {
    const key = keyOf(delivered);
    const remembered = this.#remembered.get(key);
    if (remembered !== undefined) return remembered;
    const row = this.#database
      .prepare('SELECT row_id AS rowId FROM filters WHERE id = ?')
      .get(filterId(delivered));
    const rowId = row?.rowId as number | undefined;
    if (rowId !== undefined) this.#remembered.set(key, rowId);
    return rowId;
  }

  #create(delivered: DeliveredFilter): number {
    const { type, name } = delivered;
    const id = filterId(delivered);
    const slug = allocateSlug(this.#database, 'filter', slugBase('filter', name, id));
    const { lastInsertRowid } = this.#database
      .prepare('INSERT INTO filters (id, slug, type, name) VALUES (?, ?, ?, ?)')
      .run(id, slug, type, name);
    const rowId = Number(lastInsertRowid);
    this.#remembered.set(keyOf(delivered), rowId);
    return rowId;
  }
}

function keyOf({ type, name }: DeliveredFilter): string {
  return `${type}:${name}`;
}

/** If no slug can be made of the name, the name itself identifies the filter. */
function filterId({ type, name }: DeliveredFilter): string {
  return derivedId('filter', type, slugify(name) || name);
}

function unique(rowIds: number[]): number[] {
  return rowIds.filter((rowId, i) => rowIds.indexOf(rowId) === i);
}

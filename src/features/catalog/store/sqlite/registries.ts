import { BoundedMap } from '../../../../common/memory/caches.ts';
import { slugBase } from '../../../../common/text/slug.ts';
import type { Database } from '../../../../engines/sql/sqlite/database.ts';
import { allocateSlug } from '../../../../engines/sql/sqlite/slug-allocator.ts';
import { type DeliveredCredit, type DeliveredFilter, filterId } from '../../track.ts';

/** The number of artists whose row ids are kept between tracks; about 8 MB when full. */
const MAX_ARTISTS = 50_000;

/** Finds and creates the artists of deliveries: one row for each name under which an artist is credited. */
export class ArtistRegistry {
  readonly #database: Database;
  /** By id: the name of the last credit, and its row id. Most artists have one name. */
  readonly #known = new BoundedMap<string, { name: string; rowId: number }>(MAX_ARTISTS);

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the row ids of the credits, in order. Creates missing rows, within a write transaction. */
  resolve(credits: readonly DeliveredCredit[]): number[] {
    return credits.map((credit) => this.#find(credit) ?? this.#create(credit));
  }

  /** Like `resolve`, but creates nothing: returns undefined if a row is missing. */
  lookUp(credits: readonly DeliveredCredit[]): number[] | undefined {
    const found = credits.map((credit) => this.#find(credit));
    return found.every((rowId) => rowId !== undefined) ? found : undefined;
  }

  /** Call this when another connection wrote, and when a transaction was rolled back. */
  forget(): void {
    this.#known.clear();
  }

  #find({ id, name }: DeliveredCredit): number | undefined {
    const remembered = this.#known.get(id);
    if (remembered?.name === name) return remembered.rowId;
    const sql = 'SELECT row_id AS rowId FROM artists WHERE id = ? AND name = ?';
    const rowId = this.#database.prepare(sql).get(id, name)?.rowId as number | undefined;
    if (rowId !== undefined) this.#known.set(id, { name, rowId });
    return rowId;
  }

  #create({ id, name, externalId }: DeliveredCredit): number {
    const { lastInsertRowid } = this.#database
      .prepare('INSERT INTO artists (id, name, external_id) VALUES (?, ?, ?)')
      .run(id, name, externalId);
    const rowId = Number(lastInsertRowid);
    this.#known.set(id, { name, rowId });
    return rowId;
  }
}

/** More than any real catalog has. A catalog with more filters costs time, not memory. */
const MAX_FILTERS = 10_000;

/**
 * Finds and creates the filters of deliveries. The type and the slug of the name identify a filter: two
 * spellings with one slug are one filter, which keeps its first name (docs/contract/import.md#identifiers).
 */
export class FilterRegistry {
  readonly #database: Database;
  /** The row id, by the type and the name as delivered. */
  readonly #known = new BoundedMap<string, number>(MAX_FILTERS);

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
    this.#known.clear();
  }

  #find(delivered: DeliveredFilter): number | undefined {
    const key = keyOf(delivered);
    const remembered = this.#known.get(key);
    if (remembered !== undefined) return remembered;
    const row = this.#database
      .prepare('SELECT row_id AS rowId FROM filters WHERE id = ?')
      .get(filterId(delivered));
    const rowId = row?.rowId as number | undefined;
    if (rowId !== undefined) this.#known.set(key, rowId);
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
    this.#known.set(keyOf(delivered), rowId);
    return rowId;
  }
}

function keyOf({ type, name }: DeliveredFilter): string {
  return `${type}:${name}`;
}

function unique(rowIds: number[]): number[] {
  return rowIds.filter((rowId, i) => rowIds.indexOf(rowId) === i);
}

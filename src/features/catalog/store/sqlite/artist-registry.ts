import { BoundedMap } from '../../../../common/memory/bounded-map.ts';
import type { Database } from '../../../../engines/sql/sqlite/database.ts';
import type { DeliveredCredit } from '../../track.ts';

/** The number of artists whose row ids are kept between tracks; about 8 MB when full. */
const MAX_REMEMBERED = 50_000;

/** Finds and creates the artists of deliveries: one row for each name under which an artist is credited. */
export class ArtistRegistry {
  readonly #database: Database;
  /** By id: the name of the last credit, and its row id. Most artists have one name. */
  readonly #remembered = new BoundedMap<string, { name: string; rowId: number }>(MAX_REMEMBERED);

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
    this.#remembered.clear();
  }

  #find({ id, name }: DeliveredCredit): number | undefined {
    const remembered = this.#remembered.get(id);
    if (remembered?.name === name) return remembered.rowId;
    const sql = 'SELECT row_id AS rowId FROM artists WHERE id = ? AND name = ?';
    const rowId = this.#database.prepare(sql).get(id, name)?.rowId as number | undefined;
    if (rowId !== undefined) this.#remembered.set(id, { name, rowId });
    return rowId;
  }

  #create({ id, name, externalId }: DeliveredCredit): number {
    const { lastInsertRowid } = this.#database
      .prepare('INSERT INTO artists (id, name, external_id) VALUES (?, ?, ?)')
      .run(id, name, externalId);
    const rowId = Number(lastInsertRowid);
    this.#remembered.set(id, { name, rowId });
    return rowId;
  }
}

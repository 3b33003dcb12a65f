import { LRUCache } from 'lru-cache';
import type { DeliveredCredit } from '../../catalog/track.ts';
import type { Transaction } from './database.ts';

/** The number of artists whose row ids are kept between tracks; about 8 MB when full. */
const MAX_REMEMBERED = 50_000;

/** Finds and creates the artists of deliveries, many at a time. */
export class ArtistRegistry {
  /** By artist id: the row id, and the name that was written last. */
  readonly #remembered = new LRUCache<string, { rowId: number; name: string }>({
    max: MAX_REMEMBERED,
  });

  /**
   * Call this when another process may have removed artists, and when a transaction that created some was
   * rolled back.
   */
  forget(): void {
    this.#remembered.clear();
  }

  /**
   * Returns the row ids by artist id. Creates missing artists, and gives each artist the last name in the
   * list.
   */
  async numbers(
    tx: Transaction,
    credits: readonly DeliveredCredit[],
  ): Promise<Map<string, number>> {
    const byId = new Map(credits.map((credit) => [credit.id, credit]));
    const numbers = new Map<string, number>();
    const others: DeliveredCredit[] = [];
    for (const credit of byId.values()) {
      const known = this.#remembered.get(credit.id);
      if (known?.name === credit.name) numbers.set(credit.id, known.rowId);
      else others.push(credit);
    }
    if (others.length === 0) return numbers;
    const rows = await tx.rows<{ rowId: number; id: string; name: string }>(
      `INSERT INTO artists (id, external_id, name)
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
       ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING row_id AS "rowId", id, name`,
      [
        others.map(({ id }) => id),
        others.map(({ externalId }) => externalId),
        others.map(({ name }) => name),
      ],
    );
    for (const { rowId, id, name } of rows) {
      numbers.set(id, rowId);
      this.#remembered.set(id, { rowId, name });
    }
    return numbers;
  }
}

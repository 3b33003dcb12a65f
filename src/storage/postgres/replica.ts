import type { Database, Row, Value } from './database.ts';

/**
 * Lets reads go to a replica that has replayed all that this node was shown of the change log, so that
 * nobody is answered with what was before a change that the index has taken in.
 */
export class ReplicaGate {
  readonly #primary: Database;
  readonly #replica: Database;
  #shown = 0;

  constructor(primary: Database, replica: Database) {
    this.#primary = primary;
    this.#replica = replica;
  }

  /** To be told of every seq that was read from the primary. */
  shown(seq: number): void {
    if (seq > this.#shown) this.#shown = seq;
  }

  /**
   * The rows of one statement, from the replica where it is far enough, else from the primary. `sql`
   * reads nothing that its first column may not follow: it is run together with the log's head.
   */
  async rows<T extends Row>(sql: string, values: readonly Value[]): Promise<T[]> {
    if (this.#replica.availability.isAway) return this.#primary.rows<T>(sql, values);
    const needed = this.#shown;
    const bounded = `
      SELECT head.seq AS replayed, answer.* FROM change_log_head head LEFT JOIN (${sql}) answer ON true`;
    try {
      const rows = await this.#replica.rows<T & { replayed: number }>(bounded, values);
      if (rows[0] !== undefined && rows[0].replayed >= needed) {
        return rows.filter((row) => row.no !== null);
      }
    } catch {
      // Its own availability says what is the matter, and the primary has it too.
    }
    return this.#primary.rows<T>(sql, values);
  }
}

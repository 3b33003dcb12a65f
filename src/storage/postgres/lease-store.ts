import type { LeaseStore } from '../../kernel/lease.ts';
import type { Database } from './database.ts';

/** Leases on PostgreSQL, by its clock. One statement each, so no lock of writers is needed. */
export class PostgresLeaseStore implements LeaseStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async acquire(name: string, holder: string, ms: number): Promise<boolean> {
    const rows = await this.#database.rows(
      `INSERT INTO leases (name, holder, expires_at)
       VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
       ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
         WHERE leases.holder = excluded.holder OR leases.expires_at <= clock_timestamp()
       RETURNING name`,
      [name, holder, ms],
    );
    return rows.length === 1;
  }

  async release(name: string, holder: string): Promise<void> {
    await this.#database.rows('DELETE FROM leases WHERE name = $1 AND holder = $2', [name, holder]);
  }
}

import type { Clock } from '../../kernel/clock.ts';
import type { LeaseStore } from '../../kernel/lease.ts';
import type { Database } from './database.ts';

/** Leases on SQLite, for processes on one machine: their clock is one. */
export class SqliteLeaseStore implements LeaseStore {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async acquire(name: string, holder: string, ms: number): Promise<boolean> {
    const now = this.#clock.now();
    const sql = `
      INSERT INTO leases (name, holder, expires_at) VALUES (?1, ?2, ?3)
      ON CONFLICT DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
        WHERE leases.holder = excluded.holder OR leases.expires_at <= ?4`;
    const { changes } = await this.#database.write(() =>
      this.#database.prepare(sql).run(name, holder, now + ms, now),
    );
    return changes === 1;
  }

  async release(name: string, holder: string): Promise<void> {
    const sql = 'DELETE FROM leases WHERE name = ? AND holder = ?';
    await this.#database.write(() => this.#database.prepare(sql).run(name, holder));
  }
}

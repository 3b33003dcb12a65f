import { sql } from 'kysely';
import type { SqlDatabase } from '../sql/database.ts';
import type { LeaseStore } from './lease.ts';

/** Leases, by the clock of the database. Each call is one statement, which does not need the write lock. */
export class SqlLeaseStore implements LeaseStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async acquire(name: string, holder: string, ms: number): Promise<boolean> {
    const now = this.#database.dialect.now();
    const held = await this.#database.queries
      .insertInto('leases')
      .values({ name, holder, expiresAt: sql<number>`${now} + ${ms}` })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet(({ ref }) => ({
            holder: ref('excluded.holder'),
            expiresAt: ref('excluded.expiresAt'),
          }))
          .where(({ or, eb, ref }) =>
            or([
              eb('leases.holder', '=', ref('excluded.holder')),
              eb('leases.expiresAt', '<=', now),
            ]),
          ),
      )
      .returning('name')
      .execute();
    return held.length === 1;
  }

  async release(name: string, holder: string): Promise<void> {
    await this.#database.queries
      .deleteFrom('leases')
      .where('name', '=', name)
      .where('holder', '=', holder)
      .execute();
  }
}

import { OperatorError } from '../../common/errors.ts';
import { MIGRATION } from './copied-tables.ts';
import { SqlStore } from './sql-store.ts';

/** The location of the system of record as plain data, for threads that open their own connection. */
export interface StoreLocation {
  dataFolder: string;
  /** PostgreSQL; null: SQLite in the data folder. The URL may contain a password. */
  database: { url: string; pool: number } | null;
}

/** The name of the catalog id in the store metadata. It is created when it is first needed. */
export const CATALOG_ID = 'catalog_id';

/** Names and values. A write replaces the whole value. None of it is in the change log. */
export class SettingStore extends SqlStore {
  async get(name: string): Promise<string | undefined> {
    const row = await this.database.queries
      .selectFrom('settings')
      .select('value')
      .where('name', '=', name)
      .executeTakeFirst();
    return row?.value;
  }

  /** Sets a value if there is none. Returns the stored value, which another process may have set. */
  async add(name: string, value: string): Promise<string> {
    return this.database.write(async ({ queries }) => {
      await queries
        .insertInto('settings')
        .values({ name, value })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const stored = await queries
        .selectFrom('settings')
        .select('value')
        .where('name', '=', name)
        .executeTakeFirstOrThrow();
      return stored.value;
    });
  }

  async set(name: string, value: string): Promise<void> {
    await this.database.write(({ queries }) =>
      queries
        .insertInto('settings')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute(),
    );
  }

  async delete(name: string): Promise<void> {
    await this.database.write(({ queries }) =>
      queries.deleteFrom('settings').where('name', '=', name).execute(),
    );
  }
}

/**
 * Throws OperatorError if the store contains only a part of what is being moved into it. `place` is its name
 * in messages.
 */
export async function refuseUnfinished(settings: SettingStore, place: string): Promise<void> {
  if ((await settings.get(MIGRATION)) !== undefined) {
    throw new OperatorError(
      `A migration into the database ${place} is unfinished: run stave migrate-store again, or drop it.`,
    );
  }
}

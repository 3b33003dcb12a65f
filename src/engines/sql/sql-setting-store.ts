import type { SqlDatabase } from './database.ts';
import type { SettingStore } from './setting-store.ts';

/** The store metadata. */
export class SqlSettingStore implements SettingStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async get(name: string): Promise<string | undefined> {
    const row = await this.#database.queries
      .selectFrom('settings')
      .select('value')
      .where('name', '=', name)
      .executeTakeFirst();
    return row?.value;
  }

  async add(name: string, value: string): Promise<string> {
    return this.#database.write(async ({ queries }) => {
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
    await this.#database.write(({ queries }) =>
      queries
        .insertInto('settings')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute(),
    );
  }

  async delete(name: string): Promise<void> {
    await this.#database.write(({ queries }) =>
      queries.deleteFrom('settings').where('name', '=', name).execute(),
    );
  }
}

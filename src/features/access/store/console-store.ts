import type { Actor } from '../../../common/caller/actor.ts';
import type { SqlDatabase } from '../../../engines/sql/database.ts';
import type { ConsolePassword, ConsoleStore } from '../console-password.ts';

/** The name of the password in the settings of the store. */
const PASSWORD = 'console_password';

/** The password of the console, which is one of the settings of the store. */
export class SqlConsoleStore implements ConsoleStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async password(): Promise<ConsolePassword | undefined> {
    const row = await this.#database.queries
      .selectFrom('settings')
      .select('value')
      .where('name', '=', PASSWORD)
      .executeTakeFirst();
    return row === undefined ? undefined : JSON.parse(row.value);
  }

  setPassword(password: ConsolePassword, by: Actor): Promise<void> {
    const value = JSON.stringify(password);
    return this.#database.write(async ({ queries, log }) => {
      await queries
        .insertInto('settings')
        .values({ name: PASSWORD, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
      await log('console', [['password_set', 'console']], { by, batchId: null });
    });
  }
}

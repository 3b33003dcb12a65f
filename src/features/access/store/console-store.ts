import type { Actor } from '../../../common/caller.ts';
import type { SqlDatabase } from '../../../engines/sql/database.ts';

/** The name of the password in the settings of the store. */
const PASSWORD = 'console_password';

/** What is stored of the password of the console. */
export interface ConsolePassword {
  N: number;
  r: number;
  p: number;
  /** Base64url. */
  salt: string;
  hash: string;
}

/** The password of the console. */
export class ConsoleStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** What is stored of the password; undefined if none was set. */
  async password(): Promise<ConsolePassword | undefined> {
    const row = await this.#database.queries
      .selectFrom('settings')
      .select('value')
      .where('name', '=', PASSWORD)
      .executeTakeFirst();
    return row === undefined ? undefined : JSON.parse(row.value);
  }

  /** Stores a password and logs the change. */
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

import type { Actor } from '../../../common/caller.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';

/** The name of the setting. */
const PASSWORD = 'console_password';

export interface ConsolePassword {
  N: number;
  r: number;
  p: number;
  /** Base64url. */
  salt: string;
  hash: string;
}

export class ConsoleStore extends SqlStore {
  /** Undefined if no password was set. */
  async password(): Promise<ConsolePassword | undefined> {
    const row = await this.database.queries
      .selectFrom('settings')
      .select('value')
      .where('name', '=', PASSWORD)
      .executeTakeFirst();
    return row === undefined ? undefined : JSON.parse(row.value);
  }

  setPassword(password: ConsolePassword, by: Actor): Promise<void> {
    const value = JSON.stringify(password);
    return this.database.write(async ({ queries, log }) => {
      await queries
        .insertInto('settings')
        .values({ name: PASSWORD, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
      await log('console', [['password_set', 'console']], { by, batchId: null });
    });
  }
}

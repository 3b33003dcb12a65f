import type { SettingStore } from '../store.ts';
import type { Database } from './database.ts';

/** Settings of the installation on PostgreSQL. */
export class PostgresSettingStore implements SettingStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async get(name: string): Promise<string | undefined> {
    const sql = 'SELECT value FROM settings WHERE name = $1';
    const [row] = await this.#database.rows<{ value: string }>(sql, [name]);
    return row?.value;
  }

  async set(name: string, value: string): Promise<void> {
    const sql = `
      INSERT INTO settings (name, value) VALUES ($1, $2)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
    await this.#database.write((tx) => tx.run(sql, [name, value]));
  }

  async delete(name: string): Promise<void> {
    await this.#database.write((tx) => tx.run('DELETE FROM settings WHERE name = $1', [name]));
  }
}

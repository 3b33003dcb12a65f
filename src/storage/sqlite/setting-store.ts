import type { SettingStore } from '../store.ts';
import type { Database } from './database.ts';

/** Settings of the installation on SQLite. */
export class SqliteSettingStore implements SettingStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async get(name: string): Promise<string | undefined> {
    const sql = 'SELECT value FROM settings WHERE name = ?';
    const row = await this.#database.read(() => this.#database.prepare(sql).get(name));
    return row?.value as string | undefined;
  }

  async set(name: string, value: string): Promise<void> {
    const sql = `
      INSERT INTO settings (name, value) VALUES (?, ?)
      ON CONFLICT DO UPDATE SET value = excluded.value`;
    await this.#database.write(() => this.#database.prepare(sql).run(name, value));
  }

  async delete(name: string): Promise<void> {
    const sql = 'DELETE FROM settings WHERE name = ?';
    await this.#database.write(() => this.#database.prepare(sql).run(name));
  }
}

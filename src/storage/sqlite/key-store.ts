import type { KeyPurpose, SigningKey } from '../../access/client.ts';
import type { KeyStore } from '../../access/store.ts';
import type { Actor } from '../../kernel/actor.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ChangeAppender } from './change-log.ts';
import type { Database } from './database.ts';

interface KeyRow {
  id: string;
  purpose: KeyPurpose;
  secret: Uint8Array;
  createdAt: number;
  retiredAt: number | null;
}

/** Signing keys on SQLite. They are stored in clear, for they must sign: the file is for its owner alone. */
export class SqliteKeyStore implements KeyStore {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #changes: ChangeAppender;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#changes = new ChangeAppender(database, clock);
  }

  async all(): Promise<SigningKey[]> {
    const sql = `
      SELECT id, purpose, secret, created_at AS createdAt, retired_at AS retiredAt
      FROM signing_keys ORDER BY created_at DESC, no DESC`;
    const rows = await this.#database.read(() => this.#database.prepare(sql).all());
    return (rows as unknown as KeyRow[]).map((row) => ({
      ...row,
      secret: Buffer.from(row.secret),
    }));
  }

  ensure(keys: readonly SigningKey[], by: Actor): Promise<void> {
    return this.#database.write(() => {
      const sql = 'SELECT 1 FROM signing_keys WHERE purpose = ? AND retired_at IS NULL';
      const there = this.#database.prepare(sql);
      const missing = keys.filter(({ purpose }) => there.get(purpose) === undefined);
      for (const key of missing) this.#insert(key, 'created', by);
    });
  }

  rotate(keys: readonly SigningKey[], forgetRetiredBefore: number, by: Actor): Promise<void> {
    return this.#database.write(() => {
      this.#database
        .prepare('DELETE FROM signing_keys WHERE retired_at < ?')
        .run(forgetRetiredBefore);
      this.#database
        .prepare('UPDATE signing_keys SET retired_at = ? WHERE retired_at IS NULL')
        .run(this.#clock.now());
      for (const key of keys) this.#insert(key, 'rotated', by);
    });
  }

  #insert(key: SigningKey, kind: 'created' | 'rotated', by: Actor): void {
    const sql = `
      INSERT INTO signing_keys (id, purpose, secret, created_at, retired_at)
      VALUES (?, ?, ?, ?, ?)`;
    this.#database.prepare(sql).run(key.id, key.purpose, key.secret, key.createdAt, key.retiredAt);
    this.#changes.append('key', kind, key.id, { by, batchId: null });
  }
}

import type { SigningKey } from '../../access/client.ts';
import type { KeyStore } from '../../access/store.ts';
import type { Actor } from '../../kernel/actor.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ChangeAppender } from './change-log.ts';
import type { Database, Transaction } from './database.ts';

/** Signing keys on PostgreSQL. They are stored in clear, for they must sign: the database is Stave's alone. */
export class PostgresKeyStore implements KeyStore {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #changes: ChangeAppender;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#changes = new ChangeAppender(clock);
  }

  all(): Promise<SigningKey[]> {
    return this.#database.rows<SigningKey>(`
      SELECT id, purpose, secret, created_at AS "createdAt", retired_at AS "retiredAt"
      FROM signing_keys ORDER BY created_at DESC, no DESC`);
  }

  async ensure(keys: readonly SigningKey[], by: Actor): Promise<void> {
    const sql = 'SELECT DISTINCT purpose FROM signing_keys WHERE retired_at IS NULL';
    const missing = async (rows: Transaction['rows']) => {
      const there = (await rows<{ purpose: string }>(sql)).map(({ purpose }) => purpose);
      return keys.filter(({ purpose }) => !there.includes(purpose));
    };
    // Every start comes here, and nearly always in vain: without the lock first.
    if ((await missing((text) => this.#database.rows(text))).length === 0) return;
    await this.#database.write(async (tx) => {
      for (const key of await missing(tx.rows)) await this.#insert(tx, key, 'created', by);
    });
  }

  rotate(keys: readonly SigningKey[], forgetRetiredBefore: number, by: Actor): Promise<void> {
    return this.#database.write(async (tx) => {
      await tx.run('DELETE FROM signing_keys WHERE retired_at < $1', [forgetRetiredBefore]);
      await tx.run('UPDATE signing_keys SET retired_at = $1 WHERE retired_at IS NULL', [
        this.#clock.now(),
      ]);
      for (const key of keys) await this.#insert(tx, key, 'rotated', by);
    });
  }

  async #insert(
    tx: Transaction,
    key: SigningKey,
    kind: 'created' | 'rotated',
    by: Actor,
  ): Promise<void> {
    const sql = `
      INSERT INTO signing_keys (id, purpose, secret, created_at, retired_at)
      VALUES ($1, $2, $3, $4, $5)`;
    await tx.run(sql, [key.id, key.purpose, key.secret, key.createdAt, key.retiredAt]);
    await this.#changes.append(tx, 'key', kind, key.id, { by, batchId: null });
  }
}

import type { Actor } from '../../../common/caller.ts';
import type { Queries, WriteTransaction } from '../../../engines/sql/database.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import type { SigningKey } from '../client.ts';

/**
 * The signing keys. They are unencrypted, because Stave signs with them: only Stave may read the database.
 */
export class KeyStore extends SqlStore {
  /** Newest first. One key of each purpose is not retired. */
  all(): Promise<SigningKey[]> {
    return this.database.queries
      .selectFrom('signingKeys')
      .select(['id', 'purpose', 'secret', 'createdAt', 'retiredAt'])
      .orderBy('createdAt', 'desc')
      .orderBy('rowId', 'desc')
      .execute();
  }

  /** Stores the keys of purposes without a live key. Two processes that do so at once use the same keys afterwards. */
  async ensure(keys: readonly SigningKey[], by: Actor): Promise<void> {
    // The keys almost always exist, so the first check needs no write lock.
    if ((await missing(this.database.queries, keys)).length === 0) return;
    await this.database.write(async (transaction) => {
      const added = await missing(transaction.queries, keys);
      await insert(transaction, added, 'created', by);
    });
  }

  /**
   * Retires all live keys, adds these, and deletes the keys that were retired before the given time, in one
   * transaction.
   */
  rotate(keys: readonly SigningKey[], forgetRetiredBefore: number, by: Actor): Promise<void> {
    return this.database.write(async (transaction) => {
      const { queries } = transaction;
      await queries
        .deleteFrom('signingKeys')
        .where('retiredAt', '<', forgetRetiredBefore)
        .execute();
      await queries
        .updateTable('signingKeys')
        .set({ retiredAt: this.clock.now() })
        .where('retiredAt', 'is', null)
        .execute();
      await insert(transaction, keys, 'rotated', by);
    });
  }
}

/** Returns the keys of purposes without a live key in the store. */
async function missing(queries: Queries, keys: readonly SigningKey[]): Promise<SigningKey[]> {
  const rows = await queries
    .selectFrom('signingKeys')
    .select('purpose')
    .distinct()
    .where('retiredAt', 'is', null)
    .execute();
  return keys.filter((key) => !rows.some(({ purpose }) => purpose === key.purpose));
}

async function insert(
  { queries, log }: WriteTransaction,
  keys: readonly SigningKey[],
  kind: 'created' | 'rotated',
  by: Actor,
): Promise<void> {
  for (const key of keys) await queries.insertInto('signingKeys').values(key).execute();
  const changes = keys.map(({ id }) => [kind, id] as const);
  await log('key', changes, { by, batchId: null });
}

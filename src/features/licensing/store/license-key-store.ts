import type { Actor } from '../../../common/caller.ts';
import type { Queries, WriteTransaction } from '../../../engines/sql/database.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import type { LicenseKey } from '../certificate.ts';

/**
 * The keys of certificates in the system of record. No key is ever deleted. They are stored unencrypted, because they are
 * needed to sign: only Stave may read the database.
 */
export class LicenseKeyStore extends SqlStore {
  /** All keys, newest first. */
  all(): Promise<LicenseKey[]> {
    return this.database.queries
      .selectFrom('licenseKeys')
      .select(['kid', 'mode', 'public', 'secret', 'createdAt', 'retiredAt'])
      .orderBy('rowId', 'desc')
      .execute();
  }

  /**
   * Stores each key whose mode has no key that signs. If two processes do so at the same time, both use the same keys
   * afterwards.
   */
  async ensure(keys: readonly LicenseKey[], by: Actor): Promise<void> {
    // The keys almost always exist, so the first check runs without the write lock.
    if ((await missing(this.database.queries, keys)).length === 0) return;
    await this.database.write(async (transaction) => {
      await insert(transaction, await missing(transaction.queries, keys), 'created', by);
    });
  }

  /** Retires all keys that sign, and adds these, in one transaction. */
  rotate(keys: readonly LicenseKey[], by: Actor): Promise<void> {
    return this.database.write(async (transaction) => {
      await transaction.queries
        .updateTable('licenseKeys')
        .set({ retiredAt: this.clock.now() })
        .where('retiredAt', 'is', null)
        .execute();
      await insert(transaction, keys, 'rotated', by);
    });
  }
}

/** Returns the keys for whose mode no stored key signs. */
async function missing(queries: Queries, keys: readonly LicenseKey[]): Promise<LicenseKey[]> {
  const rows = await queries
    .selectFrom('licenseKeys')
    .select('mode')
    .where('retiredAt', 'is', null)
    .execute();
  return keys.filter((key) => !rows.some(({ mode }) => mode === key.mode));
}

async function insert(
  { queries, log }: WriteTransaction,
  keys: readonly LicenseKey[],
  kind: 'created' | 'rotated',
  by: Actor,
): Promise<void> {
  for (const key of keys) await queries.insertInto('licenseKeys').values(key).execute();
  const changes = keys.map(({ kid }) => [kind, kid] as const);
  await log('key', changes, { by, batchId: null });
}

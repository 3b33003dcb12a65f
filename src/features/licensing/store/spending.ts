import { sql } from 'kysely';
import type { ClientMode } from '../../../common/caller.ts';
import { minorUnitOf } from '../../../common/codes.ts';
import type { Queries } from '../../../engines/sql/database.ts';
import type { Spendable } from '../quote.ts';
import { currencyOfStoredCard } from '../rate-card-file.ts';
import { selectOfClient } from './rate-card-store.ts';

/**
 * Returns what a client may still spend in the month of a time (UTC); null if it has no limit, or no rate card, whose
 * currency the limit has. Under the write lock, this stays true until the commit.
 */
export async function spendableBy(
  queries: Queries,
  { clientId, mode }: ClientMode,
  now: number,
): Promise<Spendable | null> {
  const client = await queries
    .selectFrom('clients')
    .select('spendingLimit as limit')
    .where('id', '=', clientId)
    .executeTakeFirst();
  const limit = client?.limit ?? null;
  if (limit === null) return null;
  const [card] = await selectOfClient(queries, { clientId });
  if (card === undefined) return null;
  const { document } = await queries
    .selectFrom('rateCards')
    .select('document')
    .where('rowId', '=', card.rowId)
    .executeTakeFirstOrThrow();
  const currency = currencyOfStoredCard(document);
  const month = new Date(now);
  const from = Date.UTC(month.getUTCFullYear(), month.getUTCMonth());
  const to = Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1);
  const { spent } = await queries
    .selectFrom('issuedLicenses')
    .select(({ ref }) =>
      sql<number>`cast(coalesce(sum(${ref('amountMinor')}), 0) AS bigint)`.as('spent'),
    )
    .where('clientId', '=', clientId)
    .where('mode', '=', mode)
    .where('currency', '=', currency)
    .where('issuedAt', '>=', from)
    .where('issuedAt', '<', to)
    .where('revokedAt', 'is', null)
    .executeTakeFirstOrThrow();
  const limitMinor = limit * 10 ** minorUnitOf(currency)!;
  return { currency, limit, remainingMinor: Math.max(0, limitMinor - spent) };
}

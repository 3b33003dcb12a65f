import type { Queries, SqlDialect } from '../../../engines/sql/database.ts';
import { KEPT_ATTEMPTS, type MessageType } from '../webhook.ts';
import { IS_PENDING } from './webhook-chains.ts';

/** Forgets all but the last attempts of deliveries, so that replays do not let them grow without end. */
export async function forgetAttempts(
  queries: Queries,
  { isOneOf }: SqlDialect,
  deliveryRowIds: readonly number[],
): Promise<void> {
  await queries
    .deleteFrom('webhookAttempts')
    .where(({ ref }) => isOneOf(ref('deliveryRowId'), deliveryRowIds))
    .where('attempt', '<=', ({ selectFrom }) =>
      selectFrom('webhookDeliveries')
        .select(({ eb }) => eb('attempts', '-', KEPT_ATTEMPTS).as('last'))
        .whereRef('webhookDeliveries.rowId', '=', 'webhookAttempts.deliveryRowId'),
    )
    .execute();
}

/** Returns how many pending messages of a type report no change: pings and simulated ones. */
export async function pendingTests(
  queries: Queries,
  webhookRowId: number,
  type: MessageType,
): Promise<number> {
  const { pending } = await queries
    .selectFrom('webhookDeliveries')
    .select(({ fn }) => fn.countAll<number>().as('pending'))
    .where(IS_PENDING)
    .where('webhookRowId', '=', webhookRowId)
    .where('type', '=', type)
    .where('count', '=', 0)
    .executeTakeFirstOrThrow();
  return pending;
}

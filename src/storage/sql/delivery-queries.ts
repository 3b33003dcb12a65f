import type { Delivery } from '../../changes/webhooks/webhook.ts';
import type { DeliveryStore } from '../../changes/webhooks/webhook-store.ts';
import type { Queries, SqlDatabase } from './database.ts';

/** The columns of a delivery as it is shown. */
export const DELIVERY_COLUMNS = [
  'id',
  'type',
  'seq',
  'state as status',
  'attempts as attemptCount',
  'nextAt as nextAttemptAt',
  'createdAt',
  'finishedAt',
] as const;

/** The deliveries to look at. */
type Filter = Pick<Parameters<DeliveryStore['list']>[2], 'status' | 'type'>;

/** Returns a page of the deliveries to an endpoint, newest first, and the number of all. May read a million entries. */
export async function deliveriesOf(
  { aside }: Pick<SqlDatabase, 'aside'>,
  webhookRowId: number,
  { offset, limit, ...filter }: Parameters<DeliveryStore['list']>[2],
): Promise<{ deliveries: Delivery[]; total: number }> {
  const filtered = () => filteredBy(aside, webhookRowId, filter);
  const count = filtered().select(({ fn }) => fn.countAll<number>().as('total'));
  // One statement has one view.
  const rows = await filtered()
    .select(DELIVERY_COLUMNS)
    .select(count.as('total'))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute();
  const total = rows[0]?.total ?? (await count.executeTakeFirstOrThrow()).total;
  return { deliveries: rows.map(({ total: _, ...delivery }) => delivery), total };
}

/** Returns some deliveries to an endpoint, newest first, after a place in this order. */
export function deliveriesAfter(
  { aside }: Pick<SqlDatabase, 'aside'>,
  webhookRowId: number,
  { status, place, limit }: Parameters<DeliveryStore['after']>[1],
): Promise<Delivery[]> {
  let select = filteredBy(aside, webhookRowId, { status });
  if (place !== undefined) {
    select = select.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('createdAt', 'id'), '<', tuple(place.createdAt, place.id)),
    );
  }
  return select
    .select(DELIVERY_COLUMNS)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

function filteredBy(queries: Queries, webhookRowId: number, { status, type }: Filter) {
  let select = queries.selectFrom('webhookDeliveries').where('webhookRowId', '=', webhookRowId);
  if (status !== undefined) select = select.where('state', '=', status);
  if (type !== undefined) select = select.where('type', '=', type);
  return select;
}

import type { Queries, SqlDatabase } from '../../../engines/sql/database.ts';
import type { Delivery } from '../webhook.ts';
import type { DeliveryStore, SentToClient, TrackChange } from '../webhook-store.ts';

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

/** How far the clock of the node that made a message may be behind that of the change. */
const CLOCK_SKEW_MS = 3_600_000;

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

/**
 * Returns the deliveries that reported a change of a track. The messages of a type to an endpoint report the log in order:
 * the first one that ends at or after the change reports it, unless the endpoint gets no changes of this track.
 */
export async function deliveriesOfChange(
  { aside }: Pick<SqlDatabase, 'aside'>,
  { trackId, seq, at, type }: TrackChange,
): Promise<SentToClient[]> {
  const endpoints = await aside
    .selectFrom('webhooks')
    .innerJoin('clients', 'clients.rowId', 'webhooks.clientRowId')
    .select(['webhooks.rowId', 'webhooks.id as webhookId', 'webhooks.mode'])
    .select(['clients.id as clientId', 'clients.name as clientName'])
    .orderBy('clients.name')
    .orderBy('webhooks.rowId')
    .execute();
  const sent: SentToClient[] = [];
  for (const { rowId, ...endpoint } of endpoints) {
    const first = await filteredBy(aside, rowId, { type })
      .select(['fromSeq', 'body', ...DELIVERY_COLUMNS])
      .where('createdAt', '>=', at - CLOCK_SKEW_MS)
      .where('seq', '>=', seq)
      .orderBy('createdAt')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (first === undefined) continue;
    const { fromSeq, body, ...delivery } = first;
    if (fromSeq! <= seq && body.includes(trackId)) sent.push({ ...endpoint, delivery });
  }
  return sent;
}

function filteredBy(queries: Queries, webhookRowId: number, { status, type }: Filter) {
  let select = queries.selectFrom('webhookDeliveries').where('webhookRowId', '=', webhookRowId);
  if (status !== undefined) select = select.where('state', '=', status);
  if (type !== undefined) select = select.where('type', '=', type);
  return select;
}

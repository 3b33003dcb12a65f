import type { Feature } from '../../../common/caller.ts';
import type { Clock } from '../../../common/clock.ts';
import type { Queries, SqlDatabase } from '../../../engines/sql/database.ts';
import { inSlices } from '../../../engines/sql/slices.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import { isSent, type MessageType } from '../webhook.ts';
import { IS_PENDING } from './webhook-chains.ts';

/** The pending messages of a type to an endpoint. */
interface PendingGroup {
  webhookRowId: number;
  type: MessageType;
}

/** `reports` are the messages that report changes: no simulated ones. */
type DiscardedPart = 'all' | 'reports' | 'none';

/**
 * Discards the pending messages that must not be sent: of deleted and disabled endpoints, of disabled clients, and of
 * types whose feature is off. Works in short transactions, so that it may be interrupted and repeated.
 * @param only row ids of endpoints; undefined for all
 */
export async function discardStray(
  database: SqlDatabase,
  clock: Clock,
  { only, signal }: { only?: readonly number[]; signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const upTo = await lastMessage(database.queries);
  for (const group of await pendingGroups(database.queries, only)) {
    if (signal?.aborted) return;
    await discardInSlices(database, clock, { group, upTo, isAll: false, signal });
  }
}

/** Discards all messages that are pending now. Works in short transactions. */
export async function discardAll(
  database: SqlDatabase,
  clock: Clock,
  signal?: AbortSignal,
): Promise<void> {
  const upTo = await lastMessage(database.queries);
  for (const group of await pendingGroups(database.queries)) {
    await discardInSlices(database, clock, { group, upTo, isAll: true, signal });
  }
}

/** Returns the row ids of the endpoints of a client. */
export async function endpointsOf(queries: Queries, clientRowId: number): Promise<number[]> {
  const rows = await queries
    .selectFrom('webhooks')
    .select('rowId')
    .where('clientRowId', '=', clientRowId)
    .execute();
  return rows.map(({ rowId }) => rowId);
}

async function discardInSlices(
  database: SqlDatabase,
  clock: Clock,
  {
    group,
    upTo,
    isAll,
    signal,
  }: {
    group: PendingGroup;
    /** Later messages stay: the endpoint may get messages again meanwhile. */
    upTo: number;
    /** Whether also those are discarded that may be sent. */
    isAll: boolean;
    signal?: AbortSignal | undefined;
  },
): Promise<void> {
  const discard = (limit: number) =>
    database.apart(async (queries) => {
      const part = isAll ? 'all' : await strayPart(queries, group);
      if (part === 'none') return false;
      const { numUpdatedRows } = await queries
        .updateTable('webhookDeliveries')
        .set({ state: 'discarded', nextAt: null, finishedAt: clock.now(), claimedUntil: null })
        .where(({ eb, selectFrom }) =>
          eb(
            'rowId',
            'in',
            selectFrom('webhookDeliveries')
              .select('rowId')
              .where(IS_PENDING)
              .where('webhookRowId', '=', group.webhookRowId)
              .where('type', '=', group.type)
              .where('rowId', '<=', upTo)
              .$if(part === 'reports', (select) => select.where('seq', 'is not', null))
              .limit(limit),
          ),
        )
        .executeTakeFirstOrThrow();
      return Number(numUpdatedRows) === limit;
    });
  await inSlices(database, discard, { signal });
}

async function lastMessage(queries: Queries): Promise<number> {
  const { last } = await queries
    .selectFrom('webhookDeliveries')
    .select(({ fn }) => fn.max<number | null>('rowId').as('last'))
    .executeTakeFirstOrThrow();
  return last ?? 0;
}

async function pendingGroups(queries: Queries, only?: readonly number[]): Promise<PendingGroup[]> {
  let select = queries
    .selectFrom('webhookDeliveries')
    .select(['webhookRowId', 'type'])
    .distinct()
    .where(IS_PENDING);
  if (only !== undefined) {
    if (only.length === 0) return [];
    select = select.where('webhookRowId', 'in', only);
  }
  return select.execute();
}

async function strayPart(
  queries: Queries,
  { webhookRowId, type }: PendingGroup,
): Promise<DiscardedPart> {
  const found = await queries
    .selectFrom('webhooks')
    .innerJoin('clients', 'clients.rowId', 'webhooks.clientRowId')
    .select(['webhooks.enabled', 'clients.enabled as isClientEnabled', 'features'])
    .where('webhooks.rowId', '=', webhookRowId)
    .executeTakeFirst();
  if (!found?.enabled || !found.isClientEnabled) return 'all';
  const features = parseStored<Feature[]>(found.features);
  if (!features.includes('webhooks')) return 'all';
  return type === 'webhook.ping' || isSent(type, features) ? 'none' : 'reports';
}

import { type SqlBool, sql } from 'kysely';
import type { Feature } from '../../../common/caller/scopes.ts';
import type { Queries } from '../../../engines/sql/database.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type {
  Chain,
  HeldChain,
  HeldChanges,
  PendingMessages,
  Subscriber,
} from '../fan-out-store.ts';
import { type EventType, isSent } from '../webhook.ts';
import { IS_PENDING } from './webhook-chains.ts';

/** A condition without a parameter, because an index of the chains of types is used only for that. */
export const IS_OF_TYPE = sql<SqlBool>`subject = ''`;

/** Returns the endpoints that get messages now. `queries` have one view. */
export async function subscribersIn(queries: Queries): Promise<Subscriber[]> {
  const webhooks = await queries
    .selectFrom('webhooks')
    .innerJoin('clients', 'clients.rowId', 'webhooks.clientRowId')
    .select(['webhooks.rowId', 'clients.id as clientId', 'mode', 'referencedOnly', 'position'])
    .select(['features', 'lastSuccessAt'])
    .where('webhooks.enabled', '=', true)
    .where('clients.enabled', '=', true)
    .orderBy('webhooks.rowId')
    .execute();
  const chains = await chainsIn(queries);
  const held = await heldIn(queries);
  const pending = await pendingIn(queries);
  return webhooks.map(({ features: stored, ...webhook }) => {
    const features = parseStored<Feature[]>(stored);
    const isOwn = ({ type }: { type: EventType }) => isSent(type, features);
    const own = (chains.get(webhook.rowId) ?? []).filter(isOwn);
    return {
      ...webhook,
      hasFeed: features.includes('changes'),
      chains: new Map<EventType, Chain>(own.map(({ type, ...chain }) => [type, chain])),
      held: (held.get(webhook.rowId) ?? []).filter(isOwn),
      pending: pending.get(webhook.rowId) ?? new Map(),
    };
  });
}

async function chainsIn(queries: Queries) {
  const rows = await queries
    .selectFrom('webhookChains')
    .select(['webhookRowId', 'type', 'startSeq', 'startRowId', 'seq'])
    .where(IS_OF_TYPE)
    .execute();
  return grouped(rows);
}

async function heldIn(queries: Queries): Promise<Map<number, HeldChain[]>> {
  const rows = await queries
    .selectFrom('webhookChains')
    .select(['webhookRowId', 'type', 'subject', 'seq', 'held'])
    .where('held', 'is not', null)
    .execute();
  return grouped(
    rows.map(({ held, ...chain }) => ({ ...chain, held: parseStored<HeldChanges>(held!) })),
  );
}

/** Pings and simulated messages report no change, and do not delay messages. */
async function pendingIn(queries: Queries) {
  const rows = await queries
    .selectFrom('webhookDeliveries')
    .select(['webhookRowId', 'type', sql<number>`cast(sum(count) AS bigint)`.as('count')])
    .select(({ fn }) => {
      const since = fn.coalesce('replayedAt', 'createdAt');
      return [fn.min<number>(since).as('oldestAt'), fn.max<number>(since).as('newestAt')];
    })
    .where(IS_PENDING)
    .where('count', '>', 0)
    .groupBy(['webhookRowId', 'type'])
    .execute();
  const byType = new Map<number, Map<EventType, PendingMessages>>();
  for (const { webhookRowId, type, ...pending } of rows) {
    const own = byType.get(webhookRowId) ?? new Map<EventType, PendingMessages>();
    byType.set(webhookRowId, own.set(type as EventType, pending));
  }
  return byType;
}

function grouped<Row extends { webhookRowId: number }>(rows: readonly Row[]) {
  const groups = new Map<number, Omit<Row, 'webhookRowId'>[]>();
  for (const { webhookRowId, ...row } of rows) {
    const group = groups.get(webhookRowId);
    if (group === undefined) groups.set(webhookRowId, [row]);
    else group.push(row);
  }
  return groups;
}

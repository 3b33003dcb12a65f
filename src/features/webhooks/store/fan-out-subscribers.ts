import { type SqlBool, sql } from 'kysely';
import type { Feature } from '../../../common/caller.ts';
import type { Queries } from '../../../engines/sql/database.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type { HeldChanges, Subscriber } from '../subscriber.ts';
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
  const chains = await queries
    .selectFrom('webhookChains')
    .select(['webhookRowId', 'type', 'startSeq', 'startRowId', 'seq'])
    .where(IS_OF_TYPE)
    .execute();
  const held = await queries
    .selectFrom('webhookChains')
    .select(['webhookRowId', 'type', 'subject', 'seq', 'held'])
    .where('held', 'is not', null)
    .execute();
  const chainsOf = Map.groupBy(chains, ({ webhookRowId }) => webhookRowId);
  const heldOf = Map.groupBy(held, ({ webhookRowId }) => webhookRowId);
  const pendingOf = Map.groupBy(await pendingIn(queries), ({ webhookRowId }) => webhookRowId);
  return webhooks.map(({ features: stored, ...webhook }) => {
    const features = parseStored<Feature[]>(stored);
    const isOwn = ({ type }: { type: EventType }) => isSent(type, features);
    const own = (chainsOf.get(webhook.rowId) ?? []).filter(isOwn);
    const waiting = (heldOf.get(webhook.rowId) ?? []).filter(isOwn);
    const pending = pendingOf.get(webhook.rowId) ?? [];
    return {
      ...webhook,
      hasFeed: features.includes('changes'),
      chains: new Map(own.map(({ webhookRowId: _, type, ...chain }) => [type, chain])),
      held: waiting.map(({ webhookRowId: _, held: changes, ...chain }) => {
        return { ...chain, held: parseStored<HeldChanges>(changes!) };
      }),
      pending: new Map(
        pending.map(({ webhookRowId: _, type, ...ofType }) => [type as EventType, ofType]),
      ),
    };
  });
}

/** Pings and simulated messages report no change, and do not delay messages. */
function pendingIn(queries: Queries) {
  return queries
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
}

import { type SqlBool, sql } from 'kysely';
import type { Queries, SqlDialect } from '../../../engines/sql/database.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type { Client } from '../../access/client.ts';
import { lastTrack } from '../../catalog/store/created-tracks.ts';
import { EVENT_TYPES, type EventType, isSent } from '../webhook.ts';

/** A condition with a value of its own, because an index of the pending messages is used only for that. */
export const IS_PENDING = sql<SqlBool>`state = 'pending'`;

/** The part of a client that decides which events are sent. */
type Terms = Pick<Client, 'enabled' | 'features'>;

/**
 * Returns the end of the log. In a transaction that has logged a change, that is this change. Every change up to there
 * is committed or belongs to this transaction. Returns 0 if the log is empty.
 */
export async function loggedPosition(queries: Queries): Promise<number> {
  const { seq } = await queries
    .selectFrom('changeLog')
    .select(({ fn }) => fn.max<number | null>('seq').as('seq'))
    .executeTakeFirstOrThrow();
  return seq ?? 0;
}

/**
 * Begins the chains of types at a position: an endpoint gets only the changes after it.
 * @param seq what the first messages name as the one before: the position, or 0 for a new endpoint
 */
export async function beginChains(
  queries: Queries,
  webhookRowId: number,
  types: readonly EventType[],
  { startSeq, seq }: { startSeq: number; seq: number },
): Promise<void> {
  if (types.length === 0) return;
  await endChains(queries, webhookRowId, types);
  const startRowId = await lastTrack(queries);
  const chain = { webhookRowId, subject: '', startSeq, startRowId, seq, held: null };
  await queries
    .insertInto('webhookChains')
    .values(types.map((type) => ({ ...chain, type })))
    .execute();
}

/** Removes the chains of types. */
export async function endChains(
  queries: Queries,
  webhookRowId: number,
  types: readonly EventType[],
): Promise<void> {
  if (types.length === 0) return;
  await queries
    .deleteFrom('webhookChains')
    .where('webhookRowId', '=', webhookRowId)
    .where('type', 'in', types)
    .execute();
}

/**
 * Discards the pending messages of endpoints that get messages again. Nearly all were discarded before, in short
 * transactions (webhook-discards.ts).
 * @param types only those of these types; undefined for all
 */
export async function discardPending(
  queries: Queries,
  { isOneOf }: SqlDialect,
  {
    webhookRowIds,
    types,
    now,
  }: {
    webhookRowIds: readonly number[];
    types?: readonly string[] | undefined;
    now: number;
  },
): Promise<void> {
  let discard = queries
    .updateTable('webhookDeliveries')
    .set({ state: 'discarded', nextAt: null, finishedAt: now, claimedUntil: null })
    .where(IS_PENDING)
    .where(({ ref }) => isOneOf(ref('webhookRowId'), webhookRowIds));
  if (types !== undefined) discard = discard.where(({ ref }) => isOneOf(ref('type'), types));
  await discard.execute();
}

/**
 * Starts what the endpoints of a client get, after its features or its state have changed. To be called in the
 * transaction of the change, after it was logged. Stray messages are to be discarded before and after it.
 */
export async function followTerms(
  queries: Queries,
  dialect: SqlDialect,
  {
    clientRowId,
    before,
    after,
    now,
  }: {
    clientRowId: number;
    before: Terms;
    after: Terms;
    now: number;
  },
): Promise<void> {
  const sentBefore = sentTypes(before);
  const sentAfter = sentTypes(after);
  const started = sentAfter.filter((type) => !sentBefore.includes(type));
  if (started.length === 0) return;
  // First of all, so that the messages of these endpoints wait for this transaction, as for an edit.
  const webhooks = await queries
    .updateTable('webhooks')
    .set(({ ref }) => ({ position: ref('position') }))
    .where('clientRowId', '=', clientRowId)
    .where('enabled', '=', true)
    .returning(['rowId', 'eventTypes'])
    .execute();
  const webhookRowIds = webhooks.map(({ rowId }) => rowId);
  // The pings begin with the first type.
  const types = sentBefore.length === 0 ? undefined : started;
  await discardPending(queries, dialect, { webhookRowIds, types, now });
  const seq = await loggedPosition(queries);
  for (const { rowId, eventTypes } of webhooks) {
    const subscribed = parseStored<EventType[]>(eventTypes);
    const begun = started.filter((type) => subscribed.includes(type));
    await beginChains(queries, rowId, begun, { startSeq: seq, seq });
  }
}

function sentTypes({ enabled, features }: Terms): EventType[] {
  return enabled ? EVENT_TYPES.filter((type) => isSent(type, features)) : [];
}

import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Mode } from '../../../common/caller.ts';
import type { Queries, SqlDatabase, SqlDialect } from '../../../engines/sql/database.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type { Tables } from '../../../engines/sql/tables/tables.ts';
import type { Client } from '../../access/client.ts';
import { lastTrack } from '../../catalog/store/track-names.ts';
import { EVENT_TYPES, type EventType, isSent } from '../webhook.ts';
import type { ChainName } from './fan-out-messages.ts';

/** A condition without a parameter, because the partial index of pending messages applies only to that. */
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
 * @param types undefined for all
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
 * Begins the chains of the types that the endpoints of a client get from now on, after its features or its state changed.
 * Call it in the transaction of the change, after it is logged, and discard stray messages before and after that.
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
  // The first statement, so that the messages of these endpoints wait for this transaction, as for an edit.
  const webhooks = await queries
    .updateTable('webhooks')
    .set(({ ref }) => ({ position: ref('position') }))
    .where('clientRowId', '=', clientRowId)
    .where('enabled', '=', true)
    .returning(['rowId', 'eventTypes'])
    .execute();
  const webhookRowIds = webhooks.map(({ rowId }) => rowId);
  // Without types before, no pings were sent either.
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

interface SearchName {
  clientRowId: number;
  mode: Mode;
  searchId: string;
}

/** Drops the tracks of a saved search that wait for the next message. */
export async function dropHeld(queries: Queries, search: SearchName): Promise<void> {
  await queries.updateTable('webhookChains').set({ held: null }).where(isOf(search)).execute();
}

export async function endSubject(queries: Queries, search: SearchName): Promise<void> {
  await queries.deleteFrom('webhookChains').where(isOf(search)).execute();
}

function isOf({ clientRowId, mode, searchId: subject }: SearchName) {
  return ({ and, eb, selectFrom }: ExpressionBuilder<Tables, 'webhookChains'>) => {
    const own = selectFrom('webhooks')
      .select('rowId')
      .where((of) => of.and({ clientRowId, mode }));
    return and([
      eb('webhookRowId', 'in', own),
      eb('type', '=', 'saved_search.matched'),
      eb('subject', '=', subject),
    ]);
  };
}

/**
 * Deletes the chains of deleted collections among some chains after a place, or among the first ones, except those whose
 * message about that is not made yet. Returns the next place, in the order of the key; undefined at the end.
 */
export async function deleteEndedChains(
  database: SqlDatabase,
  place: ChainName | undefined,
  limit: number,
): Promise<ChainName | undefined> {
  const { queries } = database;
  const { isOneOf } = database.dialect;
  // Every change up to here is in a message of each endpoint that gets it.
  const position = await queries.selectFrom('webhookPosition').select('seq').executeTakeFirst();
  if (position === undefined) return undefined;
  let select = queries
    .selectFrom('webhookChains')
    .select(['webhookRowId', 'type', 'subject'])
    .orderBy('webhookRowId')
    .orderBy('type')
    .orderBy('subject')
    .limit(limit);
  if (place !== undefined) {
    const { webhookRowId, type, subject } = place;
    select = select.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('webhookRowId', 'type', 'subject'), '>', tuple(webhookRowId, type, subject)),
    );
  }
  const chains = await select.execute();
  const ofCollections = chains.filter(
    ({ type, subject }) => type === 'collection.updated' && subject !== '',
  );
  const subjects = [...new Set(ofCollections.map(({ subject }) => subject))];
  const present = await queries
    .selectFrom('collections')
    .select('id')
    .where(({ ref }) => isOneOf(ref('id'), subjects))
    .execute();
  const known = new Set(present.map(({ id }) => id));
  const ended = ofCollections.filter(({ subject }) => !known.has(subject));
  if (ended.length > 0) {
    const rowIds = [...new Set(ended.map(({ webhookRowId }) => webhookRowId))];
    const deleted = [...new Set(ended.map(({ subject }) => subject))];
    await database.discard((transaction) =>
      transaction
        .deleteFrom('webhookChains')
        .where(({ ref }) => isOneOf(ref('webhookRowId'), rowIds))
        .where('type', '=', 'collection.updated')
        .where(({ ref }) => isOneOf(ref('subject'), deleted))
        .where('held', 'is', null)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('changeLog')
                .select('changeLog.seq')
                .where('entity', '=', 'collection')
                .where('changeLog.seq', '>', position.seq)
                .whereRef('entityId', '=', 'webhookChains.subject'),
            ),
          ),
        )
        .execute(),
    );
  }
  return chains.length < limit ? undefined : chains.at(-1);
}

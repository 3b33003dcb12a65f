import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Mode } from '../../../common/caller.ts';
import type { Queries, SqlDatabase, SqlDialect } from '../../../engines/sql/database.ts';
import { inSlices } from '../../../engines/sql/slices.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type { Tables } from '../../../engines/sql/tables/tables.ts';
import type { Client } from '../../access/client.ts';
import { lastTrack } from '../../catalog/store/track-names.ts';
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

/** Names a saved search of a client. */
interface SearchName {
  clientRowId: number;
  mode: Mode;
  searchId: string;
}

/** Forgets the tracks of a saved search of which endpoints were to be told later. */
export async function dropHeld(queries: Queries, search: SearchName): Promise<void> {
  await queries.updateTable('webhookChains').set({ held: null }).where(isOf(search)).execute();
}

/** Removes the chains of a saved search that is deleted. */
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

/** What is needed to delete chains. */
type Deleting = Pick<SqlDatabase, 'queries' | 'dialect' | 'discard' | 'settle'>;

/** A place among all chains, in the order of their key. */
interface Place {
  webhookRowId: number;
  type: EventType;
  subject: string;
}

/**
 * Deletes the chains of collections that were deleted, except those whose message about that is not made yet. Works in
 * short statements.
 */
export async function deleteEndedChains(database: Deleting, signal?: AbortSignal): Promise<void> {
  let place: Place | undefined;
  const deleteSome = async (limit: number) => {
    place = await deleteAfter(database, place, limit);
    return place !== undefined;
  };
  await inSlices(deleteSome, { between: () => database.settle(), signal });
}

/** Examines some chains after a place, or the first ones. Returns the next place; undefined at the end. */
async function deleteAfter(
  database: Deleting,
  place: Place | undefined,
  limit: number,
): Promise<Place | undefined> {
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

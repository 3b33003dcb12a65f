import type { ClientMode, WriteContext } from '../../../common/caller.ts';
import { DAY_MS } from '../../../common/clock.ts';
import { StaveError } from '../../../common/errors.ts';
import { newSortableId } from '../../../common/ids.ts';
import type { Queries, SqlDialect } from '../../../engines/sql/database.ts';
import { inSlices } from '../../../engines/sql/slices.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import {
  DELIVERY_DAYS,
  type Delivery,
  type DeliveryRecord,
  type DeliveryStatus,
  type EventType,
  KEPT_ATTEMPTS,
  type MessageType,
  payloadOf,
  refuseInactive,
  refuseOneMoreTest,
  refuseUnsent,
  type SimulatedEvent,
  simulatedPayload,
  unknownDelivery,
  unsentTypes,
} from '../webhook.ts';
import { IS_PENDING } from './webhook-chains.ts';
import { type FoundWebhook, type MessageUser, webhookOf } from './webhook-store.ts';

type MessageContext<Result> = WriteContext<Result> | 'operator';

/** A change of a track in the log. */
interface TrackChange {
  trackId: string;
  seq: number;
  /** In milliseconds since the epoch. */
  at: number;
  type: EventType;
}

/** A delivery with its endpoint and client. */
export interface SentToClient extends ClientMode {
  clientName: string;
  webhookId: string;
  delivery: Delivery;
}

interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  type?: MessageType | undefined;
}

const COLUMNS = [
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

/**
 * The messages to endpoints. They are kept for DELIVERY_DAYS. The change log does not have them. An endpoint that does not
 * exist for the caller is `not_found`, as in `WebhookStore`.
 */
export class DeliveryStore extends SqlStore {
  /** A page of the deliveries to an endpoint, newest first, with the number of all. May read a million entries. */
  async list(
    webhookId: string,
    user: MessageUser,
    { offset, limit, ...filter }: DeliveryFilter & { offset: number; limit: number },
  ): Promise<{ deliveries: Delivery[]; total: number }> {
    const { queries, aside } = this.database;
    const { rowId } = await webhookOf(queries, webhookId, user);
    const filtered = () => filteredBy(aside, rowId, filter);
    const count = filtered().select(({ fn }) => fn.countAll<number>().as('total'));
    // One statement has one view.
    const rows = await newestFirst(filtered(), limit)
      .select(count.as('total'))
      .offset(offset)
      .execute();
    const total = rows[0]?.total ?? (await count.executeTakeFirstOrThrow()).total;
    return { deliveries: rows.map(({ total: _, ...delivery }) => delivery), total };
  }

  /** Deliveries to an endpoint for the operator, newest first, from the first one or after a place. */
  async after(
    webhookId: string,
    {
      status,
      place,
      limit,
    }: {
      status?: DeliveryStatus | undefined;
      place?: Pick<Delivery, 'createdAt' | 'id'> | undefined;
      limit: number;
    },
  ): Promise<Delivery[]> {
    const { queries, aside } = this.database;
    const { rowId } = await webhookOf(queries, webhookId, 'operator');
    let select = newestFirst(filteredBy(aside, rowId, { status }), limit);
    if (place !== undefined) {
      select = select.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('createdAt', 'id'), '<', tuple(place.createdAt, place.id)),
      );
    }
    return select.execute();
  }

  find(webhookId: string, id: string, user: MessageUser): Promise<DeliveryRecord> {
    return this.database.view(async (queries) => {
      const { rowId: webhookRowId } = await webhookOf(queries, webhookId, user);
      const found = await queries
        .selectFrom('webhookDeliveries')
        .select(['rowId', 'body as payload', ...COLUMNS])
        .where('id', '=', id)
        .where('webhookRowId', '=', webhookRowId)
        .executeTakeFirst();
      if (found === undefined) throw unknownDelivery();
      const { rowId, payload, ...delivery } = found;
      const attempts = await queries
        .selectFrom('webhookAttempts')
        .select(['attempt', 'at', 'durationMs', 'status as httpStatus', 'error', 'response'])
        .where('deliveryRowId', '=', rowId)
        .orderBy('attempt')
        .execute();
      return { ...delivery, payload, attempts };
    });
  }

  /**
   * The messages that reported a change of a track, at most one for each endpoint, for the operator. The messages of a
   * type to an endpoint report the log in order: the first one that ends at or after the change reports it, unless the
   * endpoint gets no changes of this track.
   */
  async ofTrackChange({ trackId, seq, at, type }: TrackChange): Promise<SentToClient[]> {
    const { aside } = this.database;
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
        .select(['fromSeq', 'body', ...COLUMNS])
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

  /** Adds a ping. Throws `conflict` if nothing is sent to the endpoint, or too many are pending. */
  ping(
    webhookId: string,
    context: MessageContext<{ deliveryId: string }>,
  ): Promise<{ deliveryId: string }> {
    return this.#add(webhookId, context, 'webhook.ping', ({ mode }, now) =>
      payloadOf('webhook.ping', now, { mode, webhookId }),
    );
  }

  /** Adds a message that reports no real change. Throws `conflict` as `ping`, and in live mode. */
  simulate(
    webhookId: string,
    event: SimulatedEvent,
    context: WriteContext<{ deliveryId: string }>,
  ): Promise<{ deliveryId: string }> {
    return this.#add(webhookId, context, event.type, ({ mode }, now) =>
      simulatedPayload(event, mode, now),
    );
  }

  /**
   * Starts the attempts of a delivery again. Throws `conflict` if nothing is sent to the endpoint, the feature of the type
   * is off, or the delivery is pending.
   */
  replay(
    webhookId: string,
    id: string,
    context: MessageContext<{ deliveryId: string }>,
  ): Promise<{ deliveryId: string }> {
    return this.#write(webhookId, context, async (queries, { rowId: webhookRowId, features }) => {
      const found = await queries
        .selectFrom('webhookDeliveries')
        .select(['rowId', 'type', 'count'])
        .where('id', '=', id)
        .where('webhookRowId', '=', webhookRowId)
        .executeTakeFirst();
      if (found === undefined) throw unknownDelivery();
      refuseUnsent(found, features);
      const replayed = await this.#replayed(queries).where('rowId', '=', found.rowId).execute();
      if (replayed.every(({ numUpdatedRows }) => numUpdatedRows === 0n)) {
        throw new StaveError('conflict', 'The delivery is pending: its attempts have not ended.');
      }
      await forgetAttempts(queries, this.database.dialect, [found.rowId]);
      return { deliveryId: id };
    });
  }

  /**
   * Replays the failed deliveries, or all, that were created from one time to another, both included and in milliseconds
   * since the epoch. Leaves out pending ones, and types whose feature is off. Returns the number of replays. Throws
   * `conflict` if nothing is sent to the endpoint.
   */
  async replayBetween(
    webhookId: string,
    { from, to, status }: { from: number; to?: number | undefined; status: 'failed' | 'all' },
    context: MessageContext<{ count: number }>,
  ): Promise<{ count: number }> {
    // Messages that are made meanwhile are not replayed.
    const last = Math.min(to ?? Number.POSITIVE_INFINITY, this.clock.now());
    let place = { createdAt: from, id: '' };
    let count = 0;
    const replaySome = async (limit: number) => {
      const replayed = await this.#write(webhookId, asPart(context), (queries, found) =>
        this.#replaySome(queries, found, { place, last, status, limit }),
      );
      count += replayed.count;
      place = replayed.place ?? place;
      return replayed.place !== undefined;
    };
    await inSlices(this.database, replaySome);
    return this.#write(webhookId, context, async () => ({ count }));
  }

  /** Deletes finished deliveries that are older than DELIVERY_DAYS. Works in short transactions. */
  async expire(signal?: AbortSignal): Promise<void> {
    const before = this.clock.now() - DELIVERY_DAYS * DAY_MS;
    const deleteSome = async (limit: number) => {
      const { numDeletedRows } = await this.database.discard((queries) =>
        queries
          .deleteFrom('webhookDeliveries')
          .where(({ eb, selectFrom }) =>
            eb(
              'rowId',
              'in',
              selectFrom('webhookDeliveries as old')
                .select('old.rowId')
                .where('old.createdAt', '<', before)
                .where('old.state', '<>', 'pending')
                .orderBy('old.createdAt')
                .limit(limit),
            ),
          )
          .executeTakeFirstOrThrow(),
      );
      return Number(numDeletedRows) === limit;
    };
    await inSlices(this.database, deleteSome, { signal });
  }

  /** Replays some deliveries after a place. Returns the next place; undefined at the end. */
  async #replaySome(
    queries: Queries,
    { rowId: webhookRowId, features }: FoundWebhook,
    {
      place,
      last,
      status,
      limit,
    }: {
      place: { createdAt: number; id: string };
      last: number;
      status: 'failed' | 'all';
      limit: number;
    },
  ): Promise<{ count: number; place: { createdAt: number; id: string } | undefined }> {
    const some = await queries
      .selectFrom('webhookDeliveries')
      .select(['rowId', 'createdAt', 'id'])
      .where('webhookRowId', '=', webhookRowId)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('createdAt', 'id'), '>', tuple(place.createdAt, place.id)),
      )
      .where('createdAt', '<=', last)
      .orderBy('createdAt')
      .orderBy('id')
      .limit(limit)
      .execute();
    const rowIds = some.map(({ rowId }) => rowId);
    let replay = this.#replayed(queries).where(({ ref }) =>
      this.database.dialect.isOneOf(ref('rowId'), rowIds),
    );
    if (status === 'failed') replay = replay.where('state', '=', 'failed');
    const unsent = unsentTypes(features);
    if (unsent.length > 0) {
      replay = replay.where(({ or, eb }) =>
        or([eb('count', '=', 0), eb('type', 'not in', unsent)]),
      );
    }
    const { numUpdatedRows } = await replay.executeTakeFirstOrThrow();
    await forgetAttempts(queries, this.database.dialect, rowIds);
    const next = some.length < limit ? undefined : some.at(-1);
    return { count: Number(numUpdatedRows), place: next };
  }

  /** Starts the attempts of deliveries again that are not pending. */
  #replayed(queries: Queries) {
    const now = this.clock.now();
    return queries
      .updateTable('webhookDeliveries')
      .set({
        state: 'pending',
        scheduleAttempts: 0,
        nextAt: now,
        finishedAt: null,
        replayedAt: now,
      })
      .where('state', '<>', 'pending');
  }

  #add(
    webhookId: string,
    context: MessageContext<{ deliveryId: string }>,
    type: MessageType,
    payload: (webhook: FoundWebhook['webhook'], now: number) => string,
  ): Promise<{ deliveryId: string }> {
    return this.#write(webhookId, context, async (queries, { rowId: webhookRowId, webhook }) => {
      refuseOneMoreTest(await pendingTests(queries, webhookRowId, type));
      const now = this.clock.now();
      const id = newSortableId(now);
      await queries
        .insertInto('webhookDeliveries')
        .values({
          id,
          webhookRowId,
          type,
          count: 0,
          body: payload(webhook, now),
          state: 'pending',
          attempts: 0,
          scheduleAttempts: 0,
          nextAt: now,
          createdAt: now,
        })
        .execute();
      return { deliveryId: id };
    });
  }

  /** Throws `conflict` if nothing is sent to the endpoint. */
  #write<Result>(
    webhookId: string,
    context: MessageContext<Result>,
    work: (queries: Queries, found: FoundWebhook) => Promise<Result>,
  ): Promise<Result> {
    return this.database.apart(
      async (queries) => {
        const found = await webhookOf(queries, webhookId, context);
        refuseInactive(found.webhook, found.isClientActive);
        return work(queries, found);
      },
      context === 'operator' ? undefined : context,
    );
  }
}

/** Returns the context of a transaction that is not the last one of a write: the last one stores the response. */
function asPart(context: MessageContext<never>): MessageContext<never> {
  if (context === 'operator') return context;
  const { finish: _, ...rest } = context;
  return rest;
}

function filteredBy(queries: Queries, webhookRowId: number, { status, type }: DeliveryFilter) {
  let select = queries.selectFrom('webhookDeliveries').where('webhookRowId', '=', webhookRowId);
  if (status !== undefined) select = select.where('state', '=', status);
  if (type !== undefined) select = select.where('type', '=', type);
  return select;
}

function newestFirst(deliveries: ReturnType<typeof filteredBy>, limit: number) {
  return deliveries.select(COLUMNS).orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(limit);
}

/** Deletes all but the last KEPT_ATTEMPTS of each delivery, so that replays do not add attempts without end. */
async function forgetAttempts(
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

/** Returns the number of pending messages of a type that report no change: pings and simulated ones. */
async function pendingTests(
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

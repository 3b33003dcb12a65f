import type { WriteContext } from '../../../common/caller/write-context.ts';
import { type Clock, DAY_MS } from '../../../common/clock.ts';
import { StaveError } from '../../../common/errors.ts';
import { newSortableId } from '../../../common/ids.ts';
import type { Queries, SqlDatabase } from '../../../engines/sql/database.ts';
import { inSlices } from '../../../engines/sql/slices.ts';
import { pingPayload, type SimulatedEvent, simulatedPayload } from '../payload.ts';
import {
  DELIVERY_DAYS,
  type Delivery,
  type DeliveryRecord,
  type MessageType,
  refuseDisabled,
  refuseInactive,
  refuseOneMoreTest,
  refuseUnsent,
  unknownDelivery,
  unsentTypes,
} from '../webhook.ts';
import type {
  DeliveryStore,
  MessageContext,
  MessageUser,
  SentToClient,
  TrackChange,
} from '../webhook-store.ts';
import { forgetAttempts, pendingTests } from './delivery-limits.ts';
import {
  DELIVERY_COLUMNS,
  deliveriesAfter,
  deliveriesOf,
  deliveriesOfChange,
} from './delivery-queries.ts';
import { type FoundWebhook, webhookOf } from './webhook-queries.ts';

/** The messages to endpoints. */
export class SqlDeliveryStore implements DeliveryStore {
  readonly #database: SqlDatabase;
  readonly #clock: Clock;

  constructor(database: SqlDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async list(
    webhookId: string,
    user: MessageUser,
    request: Parameters<DeliveryStore['list']>[2],
  ): Promise<{ deliveries: Delivery[]; total: number }> {
    const { rowId } = await webhookOf(this.#database.queries, webhookId, user);
    return deliveriesOf(this.#database, rowId, request);
  }

  async after(
    webhookId: string,
    request: Parameters<DeliveryStore['after']>[1],
  ): Promise<Delivery[]> {
    const { rowId } = await webhookOf(this.#database.queries, webhookId, 'operator');
    return deliveriesAfter(this.#database, rowId, request);
  }

  find(webhookId: string, id: string, user: MessageUser): Promise<DeliveryRecord> {
    return this.#database.view(async (queries) => {
      const { rowId: webhookRowId } = await webhookOf(queries, webhookId, user);
      const found = await queries
        .selectFrom('webhookDeliveries')
        .select(['rowId', 'body as payload', ...DELIVERY_COLUMNS])
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

  ofTrackChange(change: TrackChange): Promise<SentToClient[]> {
    return deliveriesOfChange(this.#database, change);
  }

  ping(
    webhookId: string,
    context: MessageContext<{ deliveryId: string }>,
  ): Promise<{ deliveryId: string }> {
    return this.#add(webhookId, context, 'webhook.ping', ({ mode }, now) =>
      pingPayload(webhookId, mode, now),
    );
  }

  simulate(
    webhookId: string,
    event: SimulatedEvent,
    context: WriteContext<{ deliveryId: string }>,
  ): Promise<{ deliveryId: string }> {
    return this.#add(webhookId, context, event.type, ({ mode }, now) =>
      simulatedPayload(event, mode, now),
    );
  }

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
      await forgetAttempts(queries, this.#database.dialect, [found.rowId]);
      return { deliveryId: id };
    });
  }

  async replayBetween(
    webhookId: string,
    { from, to, status }: Parameters<DeliveryStore['replayBetween']>[1],
    context: MessageContext<{ count: number }>,
  ): Promise<{ count: number }> {
    // Messages that are made meanwhile are not replayed.
    const last = Math.min(to ?? Number.POSITIVE_INFINITY, this.#clock.now());
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
    await inSlices(replaySome, { between: () => this.#database.settle() });
    return this.#write(webhookId, context, async () => ({ count }));
  }

  async expire(signal?: AbortSignal): Promise<void> {
    const before = this.#clock.now() - DELIVERY_DAYS * DAY_MS;
    const deleteSome = async (limit: number) => {
      const { numDeletedRows } = await this.#database.discard((queries) =>
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
    await inSlices(deleteSome, { between: () => this.#database.settle(), signal });
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
      this.#database.dialect.isOneOf(ref('rowId'), rowIds),
    );
    if (status === 'failed') replay = replay.where('state', '=', 'failed');
    const unsent = unsentTypes(features);
    if (unsent.length > 0) {
      replay = replay.where(({ or, eb }) =>
        or([eb('count', '=', 0), eb('type', 'not in', unsent)]),
      );
    }
    const { numUpdatedRows } = await replay.executeTakeFirstOrThrow();
    await forgetAttempts(queries, this.#database.dialect, rowIds);
    const next = some.length < limit ? undefined : some.at(-1);
    return { count: Number(numUpdatedRows), place: next };
  }

  /** Begins the attempts of deliveries that are not pending anew. */
  #replayed(queries: Queries) {
    const now = this.#clock.now();
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
      const now = this.#clock.now();
      const id = newSortableId(now);
      await queries
        .insertInto('webhookDeliveries')
        .values({
          id,
          webhookRowId,
          type,
          fromSeq: null,
          seq: null,
          previousSeq: null,
          count: 0,
          body: payload(webhook, now),
          state: 'pending',
          attempts: 0,
          scheduleAttempts: 0,
          nextAt: now,
          createdAt: now,
          finishedAt: null,
        })
        .execute();
      return { deliveryId: id };
    });
  }

  /** Writes messages of an endpoint to which messages are sent. */
  #write<Result>(
    webhookId: string,
    context: MessageContext<Result>,
    work: (queries: Queries, found: FoundWebhook) => Promise<Result>,
  ): Promise<Result> {
    return this.#database.apart(
      async (queries) => {
        const found = await webhookOf(queries, webhookId, context);
        refuseDisabled(found.webhook);
        refuseInactive(found.isClientActive);
        return work(queries, found);
      },
      context === 'operator' ? undefined : context,
    );
  }
}

/** Returns the context of a transaction that is only a part of a write: the last part stores the response. */
function asPart(context: MessageContext<never>): MessageContext<never> {
  if (context === 'operator') return context;
  const { finish: _, ...rest } = context;
  return rest;
}

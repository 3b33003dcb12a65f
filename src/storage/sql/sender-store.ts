import { sql } from 'kysely';
import type { Feature } from '../../access/client.ts';
import type {
  AttemptResult,
  DueEndpoint,
  DueMessage,
  SenderStore,
} from '../../changes/webhooks/sender-store.ts';
import type { DisabledReason } from '../../changes/webhooks/webhook.ts';
import type { Clock } from '../../common/clock.ts';
import { parseStored } from '../stored-value.ts';
import { compiledOnce } from './compiled-query.ts';
import { type Queries, RowsInUse, type SqlDatabase } from './database.ts';
import { IS_PENDING } from './webhook-chains.ts';
import { discardStray } from './webhook-discards.ts';

/** Takes messages that nobody is sending, unless the endpoint was disabled. */
const claimDue = compiledOnce(
  (queries, values: { webhookRowId: number; now: number; claimedUntil: number; limit: number }) =>
    queries
      .updateTable('webhookDeliveries')
      .set({ claimedUntil: values.claimedUntil })
      .where('rowId', 'in', ({ selectFrom }) =>
        selectFrom('webhookDeliveries')
          .innerJoin('webhooks', 'webhooks.rowId', 'webhookRowId')
          .select('webhookDeliveries.rowId')
          .where('webhookRowId', '=', values.webhookRowId)
          .where('enabled', '=', true)
          .where(IS_PENDING)
          .where('nextAt', '<=', values.now)
          .where(({ or, eb }) =>
            or([eb('claimedUntil', 'is', null), eb('claimedUntil', '<=', values.now)]),
          )
          .orderBy('nextAt')
          .orderBy('webhookDeliveries.rowId')
          .limit(values.limit),
      )
      .returning(['rowId', 'id', 'body', 'scheduleAttempts', 'nextAt']),
);

/** The endpoints that are enabled and have messages to send. */
const selectEndpoints = compiledOnce((queries, { now }: { now: number }) =>
  queries
    .selectFrom('webhooks')
    .innerJoin('clients', 'clients.rowId', 'webhooks.clientRowId')
    .select(['webhooks.rowId', 'url', 'mode', 'features'])
    .where('webhooks.enabled', '=', true)
    .where('clients.enabled', '=', true)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhookDeliveries')
          .select('webhookDeliveries.rowId')
          .whereRef('webhookRowId', '=', 'webhooks.rowId')
          .where(IS_PENDING)
          .where('nextAt', '<=', now),
      ),
    )
    .orderBy('webhooks.rowId'),
);

/** What the sender of messages reads and writes. */
export class SqlSenderStore implements SenderStore {
  readonly #database: SqlDatabase;
  readonly #clock: Clock;

  constructor(database: SqlDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  dueEndpoints(now: number): Promise<DueEndpoint[]> {
    return this.#database.view(async (queries) => {
      const due = (await selectEndpoints(queries, { now })).filter(({ features }) =>
        parseStored<Feature[]>(features).includes('webhooks'),
      );
      if (due.length === 0) return [];
      const rowIds = due.map(({ rowId }) => rowId);
      const { isOneOf } = this.#database.dialect;
      const secrets = await queries
        .selectFrom('webhookSecrets')
        .select(['webhookRowId', 'secret'])
        .where(({ ref }) => isOneOf(ref('webhookRowId'), rowIds))
        .where(({ or, eb }) => or([eb('validUntil', 'is', null), eb('validUntil', '>', now)]))
        .orderBy('rowId', 'desc')
        .execute();
      const secretsOf = Map.groupBy(secrets, ({ webhookRowId }) => webhookRowId);
      return due.map(({ features: _, ...endpoint }) => ({
        ...endpoint,
        secrets: secretsOf.get(endpoint.rowId)!.map(({ secret }) => secret),
      }));
    });
  }

  async claim(
    webhookRowId: number,
    now: number,
    { limit, ms }: { limit: number; ms: number },
  ): Promise<DueMessage[]> {
    const values = { webhookRowId, now, claimedUntil: now + ms, limit };
    // A lost claim only sends a message again, so it need not wait for the disk.
    const claimed = await claimDue(this.#database.unflushed, values).catch((error: unknown) => {
      if (error instanceof RowsInUse) return [];
      throw error;
    });
    return claimed
      .sort((a, b) => a.nextAt! - b.nextAt! || a.rowId - b.rowId)
      .map(({ nextAt: _, ...message }) => message);
  }

  async release(rowIds: readonly number[]): Promise<void> {
    await this.#database.apart((queries) =>
      queries
        .updateTable('webhookDeliveries')
        .set({ claimedUntil: null })
        .where(({ ref }) => this.#database.dialect.isOneOf(ref('rowId'), rowIds))
        .execute(),
    );
  }

  record(results: readonly AttemptResult[]): Promise<void> {
    return this.#database.apart(async (queries) => {
      // First of all, as when an endpoint is disabled, so that the two transactions do not wait for each other.
      await this.#recordSuccesses(queries, results);
      await this.#recordAttempts(queries, results);
      await this.#recordOutcomes(queries, results);
    });
  }

  async disable(webhookRowId: number, reason: DisabledReason, unlessAfter?: number): Promise<void> {
    await this.#database.write(async ({ queries, log }) => {
      const now = this.#clock.now();
      let disable = queries
        .updateTable('webhooks')
        .set(({ eb }) => ({
          enabled: false,
          disabledReason: reason,
          version: eb('version', '+', 1),
          updatedAt: now,
        }))
        .where('rowId', '=', webhookRowId)
        .where('enabled', '=', true);
      if (unlessAfter !== undefined) {
        disable = disable
          .where('enabledAt', '<=', unlessAfter)
          .where(({ or, eb }) =>
            or([eb('lastSuccessAt', 'is', null), eb('lastSuccessAt', '<=', unlessAfter)]),
          );
      }
      const disabled = await disable.returning('id').executeTakeFirst();
      if (disabled === undefined) return;
      const cause = { by: 'system:webhooks', batchId: null };
      await log('webhook', [['updated', disabled.id]], cause);
    });
    await discardStray(this.#database, this.#clock, { only: [webhookRowId] });
  }

  async pending(): Promise<number> {
    const { count } = await this.#database.queries
      .selectFrom('webhookDeliveries')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where(IS_PENDING)
      .executeTakeFirstOrThrow();
    return count;
  }

  discardStray(signal?: AbortSignal): Promise<void> {
    return discardStray(this.#database, this.#clock, { signal });
  }

  async #recordSuccesses(queries: Queries, results: readonly AttemptResult[]): Promise<void> {
    const ended = new Map<number, number>();
    for (const { webhookRowId, outcome, endedAt } of results) {
      if (outcome !== 'delivered') continue;
      ended.set(webhookRowId, Math.max(endedAt, ended.get(webhookRowId) ?? 0));
    }
    if (ended.size === 0) return;
    const given = this.#database.dialect.rows(
      'given',
      { webhookRowId: 'integer', endedAt: 'integer' },
      [...ended]
        .sort(([a], [b]) => a - b)
        .map(([webhookRowId, endedAt]) => ({ webhookRowId, endedAt })),
    );
    await queries
      .updateTable('webhooks')
      .from(given)
      .set(({ ref }) => ({ lastSuccessAt: ref('given.endedAt') }))
      .whereRef('webhooks.rowId', '=', 'given.webhookRowId')
      .execute();
  }

  async #recordAttempts(queries: Queries, results: readonly AttemptResult[]): Promise<void> {
    const given = this.#database.dialect.rows(
      'given',
      {
        deliveryRowId: 'integer',
        at: 'integer',
        durationMs: 'integer',
        httpStatus: 'integer',
        error: 'text',
        response: 'text',
      },
      results.map(({ deliveryRowId, at, durationMs, httpStatus, error, response }) => {
        return { deliveryRowId, at, durationMs, httpStatus, error, response };
      }),
    );
    await queries
      .insertInto('webhookAttempts')
      .columns(['deliveryRowId', 'attempt', 'at', 'durationMs', 'status', 'error', 'response'])
      .expression(({ selectFrom }) =>
        selectFrom('webhookDeliveries')
          .innerJoin(given, 'given.deliveryRowId', 'webhookDeliveries.rowId')
          .select(({ eb }) => [
            'given.deliveryRowId',
            eb('attempts', '+', 1).as('attempt'),
            'given.at',
            'given.durationMs',
            'given.httpStatus as status',
            'given.error',
            'given.response',
          ]),
      )
      .execute();
  }

  async #recordOutcomes(queries: Queries, results: readonly AttemptResult[]): Promise<void> {
    const given = this.#database.dialect.rows(
      'given',
      { deliveryRowId: 'integer', outcome: 'text', nextAt: 'integer', finishedAt: 'integer' },
      results.map(({ deliveryRowId, outcome, nextAt, endedAt }) => {
        return { deliveryRowId, outcome, nextAt, finishedAt: nextAt === null ? endedAt : null };
      }),
    );
    // A message that was discarded meanwhile stays so.
    const ifPending = <Value>(column: string, value: string) =>
      sql<Value>`CASE WHEN state = 'pending' THEN ${sql.ref(value)} ELSE ${sql.ref(column)} END`;
    await queries
      .updateTable('webhookDeliveries')
      .from(given)
      .set(({ eb }) => ({
        attempts: eb('attempts', '+', 1),
        scheduleAttempts: eb('scheduleAttempts', '+', 1),
        state: ifPending('state', 'given.outcome'),
        nextAt: ifPending('webhookDeliveries.nextAt', 'given.nextAt'),
        finishedAt: ifPending('webhookDeliveries.finishedAt', 'given.finishedAt'),
        claimedUntil: null,
      }))
      .whereRef('webhookDeliveries.rowId', '=', 'given.deliveryRowId')
      .execute();
  }
}

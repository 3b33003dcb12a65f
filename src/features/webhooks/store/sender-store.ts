import { type SqlBool, sql } from 'kysely';
import type { Feature } from '../../../common/caller.ts';
import {
  compiledOnce,
  type Queries,
  RowsInUse,
  type WriteTransaction,
} from '../../../engines/sql/database.ts';
import { openedTexts } from '../../../engines/sql/sealed-text.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import { type AttemptResult, type DueEndpoint, type DueMessage, disablingBy } from '../schedule.ts';
import { EVENT_TYPES, FEATURES_OF, hasFailedLast } from '../webhook.ts';
import { IS_PENDING } from './webhook-chains.ts';
import { discardStray } from './webhook-discards.ts';

/** Whether the column `features`, a JSON array, contains a feature. */
const hasFeature = (feature: Feature) =>
  sql<SqlBool>`features LIKE ${sql.lit(`%${JSON.stringify(feature)}%`)}`;

/** The types that need another feature besides `webhooks`. */
const TYPES_BY_FEATURE = Map.groupBy(
  EVENT_TYPES.filter((type) => FEATURES_OF[type] !== undefined),
  (type) => FEATURES_OF[type]!,
);

/** Claims messages that nobody is sending, unless they must not be sent. */
const claimDue = compiledOnce(
  (queries, values: { webhookRowId: number; now: number; claimedUntil: number; limit: number }) =>
    queries
      .updateTable('webhookDeliveries')
      .set({ claimedUntil: values.claimedUntil })
      .where('rowId', 'in', ({ selectFrom }) =>
        selectFrom('webhookDeliveries')
          .innerJoin('webhooks', 'webhooks.rowId', 'webhookRowId')
          .innerJoin('clients', 'clients.rowId', 'webhooks.clientRowId')
          .select('webhookDeliveries.rowId')
          .where('webhookRowId', '=', values.webhookRowId)
          .where('webhooks.enabled', '=', true)
          .where('clients.enabled', '=', true)
          .where(hasFeature('webhooks'))
          // Pings and simulated messages report no change, and are sent in any case.
          .where(({ or, and, eb }) =>
            and(
              [...TYPES_BY_FEATURE].map(([feature, types]) =>
                or([eb('count', '=', 0), eb('type', 'not in', types), hasFeature(feature)]),
              ),
            ),
          )
          .where(IS_PENDING)
          .where('nextAt', '<=', values.now)
          .where(({ or, eb }) =>
            or([
              eb('claimedUntil', 'is', null),
              eb('claimedUntil', '<=', values.now),
              // The clock was set back since then, or another node has a different one.
              eb('claimedUntil', '>', values.claimedUntil),
            ]),
          )
          .orderBy('nextAt')
          .orderBy('webhookDeliveries.rowId')
          .limit(values.limit),
      )
      .returning(['rowId', 'id', 'body', 'scheduleAttempts', 'nextAt']),
);

const selectEndpoints = compiledOnce((queries, { now }: { now: number }) =>
  queries
    .selectFrom('webhooks')
    .innerJoin('clients', 'clients.rowId', 'webhooks.clientRowId')
    .select(['webhooks.rowId', 'url', 'mode', 'features', 'lastSuccessAt', 'lastFailureAt'])
    .select('sealedAuthorization')
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

/** The store of the sender. One node at a time uses it. Times are in milliseconds since the epoch. */
export class SenderStore extends SqlStore {
  /** Whether there are endpoints, or pending messages of deleted endpoints. */
  async isNeeded(): Promise<boolean> {
    const { queries } = this.database;
    const endpoint = await queries.selectFrom('webhooks').select('rowId').limit(1).execute();
    if (endpoint.length > 0) return true;
    const message = await queries
      .selectFrom('webhookDeliveries')
      .select('rowId')
      .where(IS_PENDING)
      .limit(1)
      .execute();
    return message.length > 0;
  }

  /** The endpoints with messages to send that are enabled, and whose clients are. */
  dueEndpoints(now: number): Promise<DueEndpoint[]> {
    return this.database.view(async (queries) => {
      const due = (await selectEndpoints(queries, { now })).filter(({ features }) =>
        parseStored<Feature[]>(features).includes('webhooks'),
      );
      if (due.length === 0) return [];
      const rowIds = due.map(({ rowId }) => rowId);
      const { isOneOf } = this.database.dialect;
      const secrets = await queries
        .selectFrom('webhookSecrets')
        .select(['webhookRowId', 'secret'])
        .where(({ ref }) => isOneOf(ref('webhookRowId'), rowIds))
        .where(({ or, eb }) => or([eb('validUntil', 'is', null), eb('validUntil', '>', now)]))
        .orderBy('rowId', 'desc')
        .execute();
      const secretsOf = Map.groupBy(secrets, ({ webhookRowId }) => webhookRowId);
      return Promise.all(
        due.map(async ({ rowId, url, mode, sealedAuthorization, ...last }) => ({
          ...{ rowId, url, mode },
          isFailing: hasFailedLast(last),
          secrets: secretsOf.get(rowId)!.map(({ secret }) => secret),
          authorization:
            sealedAuthorization &&
            (await openedTexts(queries, 'webhook_authorization_key', [sealedAuthorization]))[0],
        })),
      );
    });
  }

  /**
   * Claims the first messages to send to an endpoint, so that no other process sends them for `ms` milliseconds. Returns
   * none if nothing is sent to the endpoint. Leaves out types whose feature is off.
   */
  async claim(
    webhookRowId: number,
    now: number,
    { limit, ms }: { limit: number; ms: number },
  ): Promise<DueMessage[]> {
    const values = { webhookRowId, now, claimedUntil: now + ms, limit };
    // A lost claim only sends a message again, so it need not wait for the disk.
    const claimed = await claimDue(this.database.unflushed, values).catch((error: unknown) => {
      if (error instanceof RowsInUse) return [];
      throw error;
    });
    return claimed
      .sort((a, b) => a.nextAt! - b.nextAt! || a.rowId - b.rowId)
      .map(({ nextAt: _, ...message }) => message);
  }

  /** Ends the claims of messages that are not sent. */
  async release(rowIds: readonly number[]): Promise<void> {
    await this.database.apart((queries) =>
      queries
        .updateTable('webhookDeliveries')
        .set({ claimedUntil: null })
        .where(({ ref }) => this.database.dialect.isOneOf(ref('rowId'), rowIds))
        .execute(),
    );
  }

  /**
   * Stores the results of attempts, and ends the claims of their messages. Does not change the state of a message that is
   * not pending any more. In the same transaction, disables the endpoints that are gone or have failed for long
   * (`disablingBy`). Returns the row ids of these; the caller discards their pending messages.
   */
  async record(results: readonly AttemptResult[]): Promise<ReadonlySet<number>> {
    const stored = async (queries: Queries, log?: WriteTransaction['log']) => {
      // The first statement, as when an endpoint is disabled, so that two transactions do not wait for each other.
      await this.#recordEnds(queries, results);
      const disabled = log === undefined ? [] : await this.#disable(queries, log, results);
      await this.#recordAttempts(queries, results);
      await this.#recordOutcomes(queries, results);
      return new Set(disabled);
    };
    // Only a message that failed for good may disable an endpoint, which needs the lock of the change log.
    if (!results.some((result) => disablingBy(result) !== undefined)) {
      return this.database.apart((queries) => stored(queries));
    }
    return this.database.write(({ queries, log }) => stored(queries, log));
  }

  async pending(): Promise<number> {
    const { count } = await this.database.queries
      .selectFrom('webhookDeliveries')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where(IS_PENDING)
      .executeTakeFirstOrThrow();
    return count;
  }

  /**
   * Discards the pending messages of endpoints that are deleted or get nothing. Works in short transactions.
   * @param only row ids of endpoints; undefined for all
   */
  discardStray(signal?: AbortSignal, only?: readonly number[]): Promise<void> {
    return discardStray(this.database, this.clock, { signal, ...(only && { only }) });
  }

  /** Disables the endpoints that are gone or have failed for long. Returns their row ids. */
  async #disable(
    queries: Queries,
    log: WriteTransaction['log'],
    results: readonly AttemptResult[],
  ): Promise<number[]> {
    const disabled: { rowId: number; id: string }[] = [];
    const now = this.clock.now();
    // In order, so that two transactions do not wait for each other.
    const ordered = [...results].sort((a, b) => a.webhookRowId - b.webhookRowId);
    for (const result of ordered) {
      const disabling = disablingBy(result);
      if (disabling === undefined) continue;
      const { reason, unlessAfter = Number.MAX_SAFE_INTEGER } = disabling;
      const disable = queries
        .updateTable('webhooks')
        .set(({ eb }) => ({
          enabled: false,
          disabledReason: reason,
          version: eb('version', '+', 1),
          updatedAt: now,
        }))
        .where('rowId', '=', result.webhookRowId)
        .where('enabled', '=', true)
        .where('enabledAt', '<=', unlessAfter)
        .where(({ or, eb }) =>
          or([eb('lastSuccessAt', 'is', null), eb('lastSuccessAt', '<=', unlessAfter)]),
        );
      disabled.push(...(await disable.returning(['rowId', 'id']).execute()));
    }
    const ids = disabled.map(({ id }) => ['updated', id] as const);
    if (ids.length > 0) await log('webhook', ids, { by: 'system:webhooks', batchId: null });
    return disabled.map(({ rowId }) => rowId);
  }

  /** Stores the times of the last success and the last failure of endpoints. */
  async #recordEnds(queries: Queries, results: readonly AttemptResult[]): Promise<void> {
    const byEndpoint = [...Map.groupBy(results, ({ webhookRowId }) => webhookRowId)];
    const lastOf = (ended: readonly AttemptResult[], isDelivered: boolean) => {
      const times = ended
        .filter(({ outcome }) => (outcome === 'delivered') === isDelivered)
        .map(({ endedAt }) => endedAt);
      return times.length === 0 ? null : Math.max(...times);
    };
    const given = this.database.dialect.rows(
      'given',
      { webhookRowId: 'integer', successAt: 'integer', failureAt: 'integer' },
      byEndpoint
        .sort(([a], [b]) => a - b)
        .map(([webhookRowId, ended]) => {
          return { webhookRowId, successAt: lastOf(ended, true), failureAt: lastOf(ended, false) };
        }),
    );
    await queries
      .updateTable('webhooks')
      .from(given)
      .set(({ fn }) => ({
        lastSuccessAt: fn.coalesce('given.successAt', 'lastSuccessAt'),
        lastFailureAt: fn.coalesce('given.failureAt', 'lastFailureAt'),
      }))
      .whereRef('webhooks.rowId', '=', 'given.webhookRowId')
      .execute();
  }

  async #recordAttempts(queries: Queries, results: readonly AttemptResult[]): Promise<void> {
    const given = this.database.dialect.rows(
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
    const given = this.database.dialect.rows(
      'given',
      { deliveryRowId: 'integer', outcome: 'text', nextAt: 'integer', finishedAt: 'integer' },
      results.map(({ deliveryRowId, outcome, nextAt, endedAt }) => {
        return { deliveryRowId, outcome, nextAt, finishedAt: nextAt === null ? endedAt : null };
      }),
    );
    // A message that was discarded meanwhile stays discarded.
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

import { type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '../../../common/clock.ts';
import { addCounts, insertRows } from '../../../engines/sql/insert-rows.ts';
import { inSlices } from '../../../engines/sql/slices.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import {
  type DayCount,
  ERROR_DAYS,
  type FailedRequest,
  KEPT_ADDRESSES,
  KEPT_DAYS,
  KEPT_ERRORS,
  type SecretAddress,
} from '../calls.ts';

/** The types of the columns. */
const DAY = {
  clientId: 'text',
  secretId: 'text',
  at: 'integer',
  outcome: 'text',
  underMs: 'integer',
  requests: 'integer',
} as const;
const ADDRESS = {
  clientId: 'text',
  secretId: 'text',
  address: 'text',
  requests: 'integer',
  errors: 'integer',
  firstAt: 'integer',
  lastAt: 'integer',
} as const;
const FAILED = {
  clientId: 'text',
  at: 'integer',
  requestId: 'text',
  secretId: 'text',
  operationId: 'text',
  status: 'integer',
  error: 'text',
  problem: 'text',
  caller: 'text',
  method: 'text',
  path: 'text',
} as const;
const FAILED_COLUMNS = Object.keys(FAILED) as (keyof typeof FAILED)[];

/**
 * How the requests of clients to all nodes ended, and from where. The change log does not have it. The writes do not
 * exclude other writers, and do not wait for the disk.
 */
export class CallStore extends SqlStore {
  addDays(counts: readonly DayCount[]): Promise<void> {
    return addCounts(this.database, 'clientDays', DAY, counts, { requests: 'sum' });
  }

  addAddresses(addresses: readonly SecretAddress[]): Promise<void> {
    const joined = {
      requests: 'sum',
      errors: 'sum',
      firstAt: 'least',
      lastAt: 'greatest',
    } as const;
    return addCounts(this.database, 'secretAddresses', ADDRESS, addresses, joined);
  }

  /** Adds errors, and deletes those of the same clients that are no longer kept. */
  async addErrors(errors: readonly FailedRequest[]): Promise<void> {
    const rows = errors.map((error) => ({ ...error }));
    await this.database.discard((queries) =>
      insertRows(queries, this.database.dialect, 'failedRequests', FAILED, rows)
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    );
    const clientIds = [...new Set(errors.map(({ clientId }) => clientId))];
    // As `isAside`.
    const place = sql<number>`row_number() OVER (PARTITION BY client_id,
      CASE WHEN error = 'rate_limited' OR secret_id = '' THEN 1 ELSE 0 END ORDER BY at DESC)`;
    await this.database.discard((queries) =>
      queries
        .deleteFrom('failedRequests')
        .where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple('clientId', 'at', 'requestId'),
            'in',
            selectFrom(
              selectFrom('failedRequests')
                .select(['clientId', 'at', 'requestId', place.as('place')])
                .where(({ ref }) => this.database.dialect.isOneOf(ref('clientId'), clientIds))
                .as('placed'),
            )
              .select(['clientId', 'at', 'requestId'])
              .where('place', '>', KEPT_ERRORS)
              .$asTuple('clientId', 'at', 'requestId'),
          ),
        )
        .execute(),
    );
  }

  /** The counts of a client since the start of a day, the latest day first. */
  days(clientId: string, from: number): Promise<DayCount[]> {
    return this.database.aside
      .selectFrom('clientDays')
      .select(['clientId', 'secretId', 'at', 'outcome', 'underMs', 'requests'])
      .where('clientId', '=', clientId)
      .where('at', '>=', from)
      .orderBy('at', 'desc')
      .execute();
  }

  /**
   * The numbers of requests by client and outcome, of all clients or of one, without those with test secrets.
   *
   * @param from the start of the first day, and `to` that of the last one
   */
  outcomes({ clientId, from, to }: { clientId?: string | undefined; from: number; to: number }) {
    return this.database.aside
      .selectFrom('clientDays')
      .select(['clientId', 'outcome'])
      .select(({ ref }) => sql<number>`cast(sum(${ref('requests')}) AS bigint)`.as('requests'))
      .$if(clientId !== undefined, (query) => query.where('clientId', '=', clientId!))
      .where('at', '>=', from)
      .where('at', '<=', to)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('clientSecrets')
              .select('id')
              .whereRef('clientSecrets.id', '=', 'clientDays.secretId')
              .where('clientSecrets.mode', '=', 'test')
              .unionAll(
                selectFrom('seats')
                  .select('seats.id')
                  .whereRef('seats.id', '=', 'clientDays.secretId')
                  .where('seats.mode', '=', 'test'),
              ),
          ),
        ),
      )
      .groupBy(['clientId', 'outcome'])
      .orderBy('requests', 'desc')
      .orderBy('outcome')
      .execute();
  }

  /** The addresses from which the secrets of a client were used, the latest first. */
  addresses(clientId: string): Promise<SecretAddress[]> {
    return this.database.aside
      .selectFrom('secretAddresses')
      .select(['clientId', 'secretId', 'address', 'requests', 'errors', 'firstAt', 'lastAt'])
      .where('clientId', '=', clientId)
      .orderBy('lastAt', 'desc')
      .execute();
  }

  /** The latest errors, of all clients or of those that meet all conditions. */
  errors({
    clientId,
    requestId,
  }: {
    clientId?: string | undefined;
    requestId?: string | undefined;
  }) {
    return (
      this.database.aside
        .selectFrom('failedRequests')
        .select(FAILED_COLUMNS)
        .$if(clientId !== undefined, (query) => query.where('clientId', '=', clientId!))
        .$if(requestId !== undefined, (query) => query.where('requestId', '=', requestId!))
        .orderBy('at', 'desc')
        // Everything that is kept of one client: a flood over its limit must not hide its other errors.
        .limit(clientId === undefined ? KEPT_ERRORS : 2 * KEPT_ERRORS)
        .execute()
    );
  }

  /** Deletes what is older than it is kept, and the addresses of a secret that has too many. */
  async expire(signal?: AbortSignal): Promise<void> {
    const dayKey = ['clientId', 'secretId', 'at', 'outcome', 'underMs'];
    await this.#deleteRows('clientDays', dayKey, this.#olderThan('at', KEPT_DAYS), signal);
    const errorKey = ['clientId', 'at', 'requestId'];
    await this.#deleteRows('failedRequests', errorKey, this.#olderThan('at', ERROR_DAYS), signal);
    const addressKey = ['clientId', 'secretId', 'address'];
    const old = this.#olderThan('lastAt', KEPT_DAYS);
    await this.#deleteRows('secretAddresses', addressKey, old, signal);
    const crowded = await this.database.aside
      .selectFrom('secretAddresses')
      .select(['clientId', 'secretId'])
      .groupBy(['clientId', 'secretId'])
      .having(({ fn }) => fn.countAll<number>(), '>', KEPT_ADDRESSES)
      .execute();
    for (const { clientId, secretId } of crowded) {
      const last = await this.database.aside
        .selectFrom('secretAddresses')
        .select('lastAt')
        .where('clientId', '=', clientId)
        .where('secretId', '=', secretId)
        .orderBy('lastAt', 'desc')
        .offset(KEPT_ADDRESSES)
        .limit(1)
        .executeTakeFirst();
      if (last === undefined) continue;
      const surplus = sql`client_id = ${clientId} AND secret_id = ${secretId} AND last_at <= ${last.lastAt}`;
      await this.#deleteRows('secretAddresses', addressKey, surplus, signal);
    }
  }

  #olderThan(column: string, days: number): RawBuilder<unknown> {
    return sql`${sql.ref(column)} < ${this.database.dialect.now()} - ${days * DAY_MS}`;
  }

  async #deleteRows(
    table: string,
    key: readonly string[],
    which: RawBuilder<unknown>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const columns = sql.join(key.map((column) => sql.ref(column)));
    await inSlices(
      this.database,
      async (limit) => {
        const { numAffectedRows } = await this.database.discard((queries) =>
          sql`DELETE FROM ${sql.table(table)} WHERE (${columns}) IN
            (SELECT ${columns} FROM ${sql.table(table)} WHERE ${which} LIMIT ${limit})`.execute(
            queries,
          ),
        );
        return Number(numAffectedRows) === limit;
      },
      { signal },
    );
  }
}

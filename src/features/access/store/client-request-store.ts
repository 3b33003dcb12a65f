import { type Expression, sql } from 'kysely';
import { addCounts } from '../../../engines/sql/insert-rows.ts';
import { inSlices } from '../../../engines/sql/slices.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import {
  KEPT_MS,
  type RequestCount,
  type RequestStep,
  type SecretUse,
  type Since,
} from '../client-requests.ts';

/** The types of the columns. */
const COUNT = {
  clientId: 'text',
  secretId: 'text',
  at: 'integer',
  requests: 'integer',
  limited: 'integer',
  usedAt: 'integer',
} as const;

/**
 * The requests of clients to all nodes. The change log does not have them. The writes do not exclude other writers, and
 * do not wait for the disk.
 */
export class ClientRequestStore extends SqlStore {
  add(counts: readonly RequestCount[]): Promise<void> {
    const joined = { requests: 'sum', limited: 'sum', usedAt: 'greatest' } as const;
    return addCounts(this.database, 'clientRequests', COUNT, counts, joined);
  }

  /** The use of the secrets of all clients, or of one. Secrets that were never used are absent. */
  async uses(since: Since, clientId?: string): Promise<SecretUse[]> {
    const rows = await this.database.aside
      .selectFrom('clientRequests')
      .select(({ fn, ref }) => [
        'clientId',
        'secretId',
        fn.max<number>('usedAt').as('lastUsedAt'),
        sumSince(ref('requests'), ref('at'), since.hour).as('requestsOfHour'),
        sumSince(ref('limited'), ref('at'), since.hour).as('limitedOfHour'),
        sumSince(ref('requests'), ref('at'), since.day).as('requestsOfDay'),
        sumSince(ref('limited'), ref('at'), since.day).as('limitedOfDay'),
      ])
      .$if(clientId !== undefined, (query) => query.where('clientId', '=', clientId!))
      .groupBy(['clientId', 'secretId'])
      .execute();
    return rows.map((row) => ({
      clientId: row.clientId,
      secretId: row.secretId,
      lastUsedAt: row.lastUsedAt,
      lastHour: { requests: row.requestsOfHour, limited: row.limitedOfHour },
      lastDay: { requests: row.requestsOfDay, limited: row.limitedOfDay },
    }));
  }

  /** The steps of a client with requests, from a time on, the oldest first. */
  steps(clientId: string, from: number): Promise<RequestStep[]> {
    return this.database.aside
      .selectFrom('clientRequests')
      .select(({ ref }) => [
        'at',
        sql<number>`cast(sum(${ref('requests')}) AS bigint)`.as('requests'),
        sql<number>`cast(sum(${ref('limited')}) AS bigint)`.as('limited'),
      ])
      .where('clientId', '=', clientId)
      .where('at', '>=', from)
      .groupBy('at')
      .orderBy('at')
      .execute();
  }

  /** Deletes steps older than KEPT_MS, except the last one of each secret that exists. */
  async expire(signal?: AbortSignal): Promise<void> {
    const before = sql<number>`${this.database.dialect.now()} - ${KEPT_MS}`;
    await inSlices(
      this.database,
      async (limit) => {
        const { numDeletedRows } = await this.database.discard((queries) =>
          queries
            .deleteFrom('clientRequests')
            .where(({ eb, refTuple, selectFrom }) =>
              eb(
                refTuple('clientId', 'secretId', 'at'),
                'in',
                selectFrom('clientRequests as old')
                  .select(['old.clientId', 'old.secretId', 'old.at'])
                  .where('old.at', '<', before)
                  .where(({ or, exists, not, selectFrom: beside }) =>
                    or([
                      exists(
                        beside('clientRequests as later')
                          .select('later.at')
                          .whereRef('later.clientId', '=', 'old.clientId')
                          .whereRef('later.secretId', '=', 'old.secretId')
                          .whereRef('later.at', '>', 'old.at'),
                      ),
                      not(
                        exists(
                          beside('clientSecrets as secret')
                            .select('secret.id')
                            .whereRef('secret.id', '=', 'old.secretId')
                            .unionAll(
                              beside('seats')
                                .select('seats.id')
                                .whereRef('seats.id', '=', 'old.secretId'),
                            ),
                        ),
                      ),
                    ]),
                  )
                  .limit(limit)
                  .$asTuple('clientId', 'secretId', 'at'),
              ),
            )
            .executeTakeFirstOrThrow(),
        );
        return Number(numDeletedRows) === limit;
      },
      { signal },
    );
  }
}

/** Sums a column over the steps from a time on. */
function sumSince(column: Expression<number>, at: Expression<number>, from: number) {
  return sql<number>`cast(sum(CASE WHEN ${at} >= ${from} THEN ${column} ELSE 0 END) AS bigint)`;
}

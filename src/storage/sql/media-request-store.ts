import { sql } from 'kysely';
import {
  KEPT_MS,
  type MediaRequestCount,
  type MediaRequestStore,
  type MediaUse,
  monthOf,
} from '../../media/media-requests.ts';
import { inSlices } from '../slices.ts';
import type { SqlDatabase } from './database.ts';

/** The types of a count in a statement. */
const COUNT = {
  trackId: 'text',
  clientId: 'text',
  mode: 'text',
  kind: 'text',
  at: 'integer',
  requests: 'integer',
  firstAt: 'integer',
  lastAt: 'integer',
} as const;
const COLUMNS = Object.keys(COUNT) as (keyof typeof COUNT)[];

/** The requests for media, by month. The changes do not exclude other writers, and do not wait for the disk. */
export class SqlMediaRequestStore implements MediaRequestStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async add(counts: readonly MediaRequestCount[]): Promise<void> {
    const given = this.#database.dialect.rows(
      'given',
      COUNT,
      counts.map((count) => ({ ...count })),
    );
    await this.#database.discard((queries) =>
      queries
        .insertInto('mediaRequests')
        .columns(COLUMNS)
        .expression(({ selectFrom }) =>
          selectFrom(given)
            .select(COLUMNS)
            // SQLite would take ON CONFLICT for the condition of a join.
            .where(sql.lit(true)),
        )
        .onConflict((conflict) =>
          conflict.columns(['trackId', 'clientId', 'mode', 'kind', 'at']).doUpdateSet(({ ref }) => {
            const [firstAt, lastAt] = [ref('mediaRequests.firstAt'), ref('mediaRequests.lastAt')];
            const [newFirst, newLast] = [ref('excluded.firstAt'), ref('excluded.lastAt')];
            return {
              requests: sql<number>`${ref('mediaRequests.requests')} + ${ref('excluded.requests')}`,
              firstAt: sql<number>`CASE WHEN ${newFirst} < ${firstAt} THEN ${newFirst} ELSE ${firstAt} END`,
              lastAt: sql<number>`CASE WHEN ${newLast} > ${lastAt} THEN ${newLast} ELSE ${lastAt} END`,
            };
          }),
        )
        .execute(),
    );
  }

  async ofTrack(trackId: string, { from, to }: { from: number; to: number }): Promise<MediaUse[]> {
    const rows = await this.#database.aside
      .selectFrom('mediaRequests')
      .select(({ ref, fn }) => [
        'clientId',
        'mode',
        'kind',
        sql<number>`cast(sum(${ref('requests')}) AS bigint)`.as('requests'),
        fn.min<number>('firstAt').as('firstAt'),
        fn.max<number>('lastAt').as('lastAt'),
      ])
      .where('trackId', '=', trackId)
      .where('at', '>=', monthOf(from))
      .where('at', '<=', to)
      .groupBy(['clientId', 'mode', 'kind'])
      .orderBy('lastAt', 'desc')
      .orderBy('clientId')
      .execute();
    return rows as MediaUse[];
  }

  async expire(signal?: AbortSignal): Promise<void> {
    const before = sql<number>`${this.#database.dialect.now()} - ${KEPT_MS}`;
    await inSlices(
      async (limit) => {
        const { numDeletedRows } = await this.#database.discard((queries) =>
          queries
            .deleteFrom('mediaRequests')
            .where(({ eb, refTuple, selectFrom }) =>
              eb(
                refTuple('trackId', 'clientId', 'mode', 'kind', 'at'),
                'in',
                selectFrom('mediaRequests as old')
                  .select(['old.trackId', 'old.clientId', 'old.mode', 'old.kind', 'old.at'])
                  .where('old.at', '<', before)
                  .limit(limit)
                  .$asTuple('trackId', 'clientId', 'mode', 'kind', 'at'),
              ),
            )
            .executeTakeFirstOrThrow(),
        );
        return Number(numDeletedRows) === limit;
      },
      { between: () => this.#database.settle(), signal },
    );
  }
}

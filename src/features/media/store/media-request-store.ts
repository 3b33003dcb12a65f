import { sql } from 'kysely';
import { DAY_MS } from '../../../common/clock.ts';
import { addCounts } from '../../../engines/sql/insert-rows.ts';
import { inSlices } from '../../../engines/sql/slices.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { KEPT_MS, type MediaRequestCount, type MediaUse, monthOf } from '../media-requests.ts';

const COUNT = {
  at: 'integer',
  trackId: 'text',
  clientId: 'text',
  mode: 'text',
  kind: 'text',
  requests: 'integer',
  firstAt: 'integer',
  lastAt: 'integer',
} as const;

/**
 * Requests for media of tracks by month, summed over all nodes. They are not in the change log. Writes do not exclude
 * other writers, and do not wait for the disk.
 */
export class MediaRequestStore extends SqlStore {
  add(counts: readonly MediaRequestCount[]): Promise<void> {
    const joined = { requests: 'sum', firstAt: 'least', lastAt: 'greatest' } as const;
    return addCounts(this.database, 'mediaRequests', COUNT, counts, joined);
  }

  /** The requests for a track in the months from one time to another, the latest first. */
  async ofTrack(trackId: string, { from, to }: { from: number; to: number }): Promise<MediaUse[]> {
    const { aside, dialect } = this.database;
    const { first, last } = await aside
      .selectFrom('mediaRequests')
      .select(({ fn }) => [
        fn.min<number | null>('at').as('first'),
        fn.max<number | null>('at').as('last'),
      ])
      .executeTakeFirstOrThrow();
    if (first === null || last === null) return [];
    const months = monthsOf(Math.max(first, from), Math.min(last, to));
    const rows = await aside
      .selectFrom('mediaRequests')
      .select(({ ref, fn }) => [
        'clientId',
        'mode',
        'kind',
        sql<number>`cast(sum(${ref('requests')}) AS bigint)`.as('requests'),
        fn.min<number>('firstAt').as('firstAt'),
        fn.max<number>('lastAt').as('lastAt'),
      ])
      .where(({ ref }) => dialect.isOneOf(ref('at'), months))
      .where('trackId', '=', trackId)
      .groupBy(['clientId', 'mode', 'kind'])
      .orderBy('lastAt', 'desc')
      .orderBy('clientId')
      .execute();
    return rows as MediaUse[];
  }

  async expire(signal?: AbortSignal): Promise<void> {
    const before = sql<number>`${this.database.dialect.now()} - ${KEPT_MS}`;
    await inSlices(
      this.database,
      async (limit) => {
        const { numDeletedRows } = await this.database.discard((queries) =>
          queries
            .deleteFrom('mediaRequests')
            .where(({ eb, refTuple, selectFrom }) =>
              eb(
                refTuple('at', 'trackId', 'clientId', 'mode', 'kind'),
                'in',
                selectFrom('mediaRequests as old')
                  .select(['old.at', 'old.trackId', 'old.clientId', 'old.mode', 'old.kind'])
                  .where('old.at', '<', before)
                  .limit(limit)
                  .$asTuple('at', 'trackId', 'clientId', 'mode', 'kind'),
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

/** Returns the starts of the months from one time to another. */
function monthsOf(from: number, to: number): number[] {
  const months: number[] = [];
  for (let at = monthOf(from); at <= to; at = monthOf(at + 32 * DAY_MS)) months.push(at);
  return months;
}

import { sql } from 'kysely';
import type { Queries, SqlDialect } from '../../../engines/sql/database.ts';
import type { TrackState } from '../track-state.ts';
import { isSamePeriod, type Period, type PeriodRow, Periods } from './track-period.ts';
import { stateColumns, TRACK_STATE } from './track-state.ts';

/** A track whose state or territories were brought in line with its availability. */
export interface FollowedTrack {
  rowId: number;
  id: string;
  before: PeriodRow;
  after: Period;
}

/** Selects what the availability of tracks decides. */
export function selectPeriods(queries: Queries) {
  return queries
    .selectFrom('tracks')
    .select(['rowId', 'id', 'availability', 'availableIn', 'nextSwitchAt', 'unavailable'])
    .select(sql<TrackState>`${sql.raw(TRACK_STATE)}`.as('state'));
}

/**
 * Brings tracks in line with their availability at a moment: 1,024 at most. Returns all of them. `chosen` is the state
 * that each would have without it; by default the present one.
 */
export async function followPeriods(
  { queries, dialect }: { queries: Queries; dialect: SqlDialect },
  rows: Awaited<ReturnType<ReturnType<typeof selectPeriods>['execute']>>,
  now: number,
  chosen?: TrackState,
): Promise<FollowedTrack[]> {
  const periods = new Periods(now);
  const followed = rows.map((row) => ({
    ...{ rowId: row.rowId, id: row.id, before: row },
    after: periods.of(row, chosen ?? row.state),
  }));
  const changed = followed.filter(
    ({ before, after }, i) =>
      !isSamePeriod(before, after) || (before.state === 'live' && rows[i]!.unavailable),
  );
  if (changed.length === 0) return followed;
  const given = dialect.rows(
    'given',
    {
      ...{ trackRowId: 'integer', state: 'text', withdrawn: 'boolean', unavailable: 'boolean' },
      ...{ availableIn: 'text', nextSwitchAt: 'integer', isMoved: 'boolean' },
    },
    changed.map(({ rowId, before, after }) => ({
      trackRowId: rowId,
      ...stateColumns(after.state),
      availableIn: after.availableIn,
      nextSwitchAt: after.nextSwitchAt,
      isMoved: before.state !== after.state,
    })),
  );
  await queries
    .updateTable('tracks')
    .from(given)
    .set(({ ref }) => ({
      state: ref('given.state'),
      withdrawn: ref('given.withdrawn'),
      unavailable: ref('given.unavailable'),
      availableIn: ref('given.availableIn'),
      nextSwitchAt: ref('given.nextSwitchAt'),
      updatedAt: sql<number>`CASE WHEN given.is_moved THEN ${now} ELSE tracks.updated_at END`,
    }))
    .whereRef('tracks.rowId', '=', 'given.trackRowId')
    .execute();
  return followed;
}

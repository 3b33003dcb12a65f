import { sql } from 'kysely';
import { keptIn } from '../../../common/memory/caches.ts';
import type { Queries, SqlDialect } from '../../../engines/sql/database.ts';
import {
  type Availability,
  availabilityAt,
  parseAvailability,
  stateWithin,
  type TrackState,
} from '../availability.ts';

/** The condition for unavailable tracks, in the SQL of both databases. */
const UNAVAILABLE = "state = 'taken_down' AND withdrawn AND unavailable";

/** The condition for tracks that are live in their periods of availability. */
export const LIVE_OR_UNAVAILABLE = `(state = 'live' OR ${UNAVAILABLE})`;

/**
 * The state of a row of `tracks`, in the SQL of both databases. A withdrawn track is stored as a taken-down one with a
 * mark, and an unavailable track as a withdrawn one with another mark, so that an older program, which does not know the
 * mark, does not show it, and can take it down.
 */
export const TRACK_STATE = `
  CASE WHEN ${UNAVAILABLE} THEN 'unavailable'
       WHEN state = 'taken_down' AND withdrawn THEN 'withdrawn' ELSE state END`;

export interface StateColumns {
  state: 'live' | 'taken_down';
  withdrawn: boolean;
  unavailable: boolean;
}

export function stateColumns(state: TrackState): StateColumns {
  return {
    state: state === 'live' ? 'live' : 'taken_down',
    withdrawn: state === 'withdrawn' || state === 'unavailable',
    unavailable: state === 'unavailable',
  };
}

/** What the log records of a change of a track that its availability causes. */
export const BY_AVAILABILITY: readonly string[] = ['availability'];

/** A row of `tracks`, with what its availability decides. */
export interface PeriodRow {
  /** As TRACK_STATE. */
  state: TrackState;
  availability: string | null;
  availableIn: string | null;
  nextSwitchAt: number | null;
}

/** The columns of `PeriodRow`, for SELECT. */
export const PERIOD_COLUMNS = `${TRACK_STATE} AS state, availability, available_in AS "availableIn",
  next_switch_at AS "nextSwitchAt"`;

/** The values that a row must have at a moment. */
export type Period = Pick<PeriodRow, 'state' | 'availableIn' | 'nextSwitchAt'>;

/** Availabilities that several tracks share, of one moment. */
export class Periods {
  /** In milliseconds since the epoch. */
  readonly moment: number;
  readonly #known = new Map<string | null, Availability>();

  constructor(moment: number) {
    this.moment = moment;
  }

  /** Returns the values of a row whose track would have this state without its availability. */
  of({ availability }: Pick<PeriodRow, 'availability'>, state: TrackState): Period {
    const found = keptIn(this.#known, availability, () =>
      availabilityAt(parseAvailability(availability), this.moment),
    );
    return {
      state: stateWithin(found, state),
      availableIn: found.territories === null ? null : found.territories.join(' '),
      nextSwitchAt: found.nextSwitch,
    };
  }
}

export function isSamePeriod(row: Period, period: Period): boolean {
  return (
    row.state === period.state &&
    row.availableIn === period.availableIn &&
    row.nextSwitchAt === period.nextSwitchAt
  );
}

/** Returns the kind of change by which a track became live, or is live no longer; undefined if neither. */
export function visibleChange(
  before: TrackState,
  after: TrackState,
): 'restored' | 'withdrawn' | undefined {
  if ((before === 'live') === (after === 'live')) return undefined;
  return after === 'live' ? 'restored' : 'withdrawn';
}

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

type SelectedPeriod = Awaited<ReturnType<ReturnType<typeof selectPeriods>['execute']>>[number];

/**
 * Brings tracks in line with their availability at a moment: 1,024 at most on SQLite. Returns all of them.
 *
 * @param options.stateOf returns the state that a track would have without it; by default the present one
 * @param options.batchRowId the batch that then counts as the last one to change them; by default it stays
 */
export async function followPeriods(
  { queries, dialect }: { queries: Queries; dialect: SqlDialect },
  rows: readonly SelectedPeriod[],
  now: number,
  {
    stateOf = ({ state }) => state,
    batchRowId,
  }: { stateOf?: (row: SelectedPeriod) => TrackState; batchRowId?: number } = {},
): Promise<FollowedTrack[]> {
  const periods = new Periods(now);
  const followed = rows.map((row) => ({
    ...{ rowId: row.rowId, id: row.id, before: row },
    after: periods.of(row, stateOf(row)),
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
      ...(batchRowId !== undefined && { batchRowId }),
    }))
    .whereRef('tracks.rowId', '=', 'given.trackRowId')
    .execute();
  return followed;
}

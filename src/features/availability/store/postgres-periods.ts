import type { Row, Transaction } from '../../../engines/sql/postgres/database.ts';
import type { TrackState } from '../availability.ts';
import { isSamePeriod, PERIOD_COLUMNS, type PeriodRow, Periods } from './track-period.ts';

const FOLLOW = `
  UPDATE tracks SET state = CASE WHEN new.state = 'live' THEN 'live' ELSE 'taken_down' END,
    withdrawn = new.state IN ('withdrawn', 'unavailable'), unavailable = new.state = 'unavailable',
    available_in = new.available_in, next_switch_at = new.next_switch_at, updated_at = $5, batch_row_id = $6
  FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[])
    AS new (row_id, state, available_in, next_switch_at)
  WHERE tracks.row_id = new.row_id`;

/**
 * Gives tracks the states and the territories of their availability, if they had these states without it. Returns the
 * states by row id.
 *
 * @param batchRowId returns the row id of the batch that this counts for
 */
export async function followPeriods(
  tx: Transaction,
  tracks: readonly { rowId: number; state: TrackState }[],
  now: number,
  batchRowId: () => Promise<number>,
): Promise<Map<number, TrackState>> {
  if (tracks.length === 0) return new Map();
  const periods = new Periods(now);
  const stored = await tx.rows<PeriodRow & Row & { rowId: number }>(
    `SELECT row_id AS "rowId", ${PERIOD_COLUMNS} FROM tracks WHERE row_id = ANY($1::bigint[])`,
    [tracks.map(({ rowId }) => rowId)],
  );
  const rows = new Map(stored.map((row) => [row.rowId, row]));
  const followed = tracks.map(({ rowId, state }) => {
    const row = rows.get(rowId)!;
    return { rowId, row, period: periods.of(row, state) };
  });
  const changed = followed.filter(({ row, period }) => !isSamePeriod(row, period));
  if (changed.length > 0) {
    await tx.run(FOLLOW, [
      changed.map(({ rowId }) => rowId),
      changed.map(({ period }) => period.state),
      changed.map(({ period }) => period.availableIn),
      changed.map(({ period }) => period.nextSwitchAt),
      ...[now, await batchRowId()],
    ]);
  }
  return new Map(followed.map(({ rowId, period }) => [rowId, period.state]));
}

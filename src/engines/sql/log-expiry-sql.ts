/** Takedowns, withdrawals and removals are kept forever, because a partner may ask about them years later. */
const FORGETTABLE = "NOT (entity = 'track' AND kind IN ('taken_down', 'withdrawn', 'removed'))";

/** The next rows of the log. */
export interface ExpirySlice {
  /** The last `seq` of the slice; null after the end of the log. */
  last: number | null;
  /** The number of rows before the given time, and the number of those that may be deleted. */
  old: number;
  expired: number;
}

/**
 * The statements that delete old rows, for both databases. `look` returns the slice after a `seq`; its values
 * are the time, the `seq` and the length. The values of the others are the `seq` before the slice, its last
 * one, and the time. `raiseFloor` runs first in their transaction.
 *
 * @param parameter the SQL of the nth value, from 1
 */
export function expiryStatements(parameter: (n: number) => string) {
  const [first, second, third] = [parameter(1), parameter(2), parameter(3)];
  const expiring = `seq > ${first} AND seq <= ${second} AND at < ${third} AND ${FORGETTABLE}`;
  return {
    look: `
      SELECT max(seq) AS last, count(*) FILTER (WHERE at < ${first}) AS old,
             count(*) FILTER (WHERE at < ${first} AND ${FORGETTABLE}) AS expired
      FROM (SELECT seq, at, entity, kind FROM change_log WHERE seq > ${second}
            ORDER BY seq LIMIT ${third}) AS slice`,
    raiseFloor: `
      UPDATE change_log_floor SET seq = expiring.seq, at = expiring.at
      FROM (SELECT seq, at FROM change_log WHERE entity = 'track' AND ${expiring}
            ORDER BY seq DESC LIMIT 1) AS expiring
      WHERE change_log_floor.seq < expiring.seq`,
    forget: `DELETE FROM change_log WHERE ${expiring}`,
  };
}

import type { Migration } from '../schema-dialect.ts';

/** A row of a track that expires, as the program of this step judged it. */
const FIRST_CHANGE = `
  SELECT seq, at FROM change_log
  WHERE entity = 'track' AND kind NOT IN ('taken_down', 'withdrawn', 'removed') ORDER BY seq LIMIT 1`;
const HAS_EXPIRED = 'NOT EXISTS (SELECT 1 FROM change_log WHERE seq = 1)';

/**
 * How much of the log of tracks has expired. The version before did not record it: the rows before the first
 * one that could expire may have. If there is none, all of them may have expired until now.
 */
export const floorOfTheChangeLog: Migration = {
  summary: 'how much of the change log has expired',
  compatibleFrom: 10,
  common: (d) => `
-- One row: the greatest seq of a track that has expired, and its time; 0 before the first.
CREATE TABLE change_log_floor (seq ${d.integer} NOT NULL, at ${d.integer} NOT NULL) ${d.table};
INSERT INTO change_log_floor VALUES (0, 0);
UPDATE change_log_floor SET seq = remaining.seq - 1, at = remaining.at
FROM (${FIRST_CHANGE}) AS remaining WHERE ${HAS_EXPIRED};
`,
  sqlite: `
UPDATE change_log_floor SET seq = head.seq, at = 1000 * unixepoch()
FROM sqlite_sequence AS head
WHERE head.name = 'change_log' AND change_log_floor.seq = 0 AND ${HAS_EXPIRED};
`,
  postgres: `
UPDATE change_log_floor SET seq = head.seq, at = (extract(epoch FROM now()) * 1000)::bigint
FROM change_log_head AS head
WHERE head.seq > 0 AND change_log_floor.seq = 0 AND ${HAS_EXPIRED};
`,
};

import type { Migration } from '../schema-dialect.ts';

/**
 * The sums of tracks over days and months, so that a summary by track need not read each row of `usage_days`. They are
 * derived from that table, and used only while they agree with it (usage-track-sums.ts).
 */
export const sumsOfTracks: Migration = {
  summary: 'sums of reported use by track',
  compatibleFrom: 10,
  common: (d) => `
-- Rises with each transaction that deletes events, so that sums from before are not used any more.
ALTER TABLE usage_sources ADD COLUMN purges ${d.integer} NOT NULL DEFAULT 0;

-- From the first to the last day, which are included.
CREATE TABLE usage_track_sums (
  source_row_id ${d.integer} NOT NULL,
  first_day ${d.integer} NOT NULL,
  last_day ${d.integer} NOT NULL,
  -- As in usage_sources, when the sums were made.
  purges ${d.integer} NOT NULL,
  -- The number of events in the sums.
  events ${d.integer} NOT NULL,
  -- The form is in track-sums.ts.
  sums ${d.bytes} NOT NULL,
  PRIMARY KEY (source_row_id, first_day, last_day)
) ${d.table};
`,
};

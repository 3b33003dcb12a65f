import type { Migration } from '../schema-dialect.ts';

/** The searches that clients keep. */
export const savedSearches: Migration = {
  summary: 'saved searches',
  compatibleFrom: 10,
  common: (d) => `
CREATE TABLE saved_searches (
  row_id ${d.rowNumber},
  id ${d.text} NOT NULL UNIQUE,
  client_row_id ${d.integer} NOT NULL REFERENCES clients ON DELETE CASCADE,
  mode ${d.text} NOT NULL CHECK (mode IN ('test', 'live')),
  name ${d.text} NOT NULL,
  -- The name without differences of case.
  folded_name ${d.text} NOT NULL,
  -- JSON, as the client sent it.
  query ${d.text} NOT NULL,
  notify ${d.boolean('notify')} NOT NULL,
  -- Tracks with a greater row id are new.
  seen_row_id ${d.integer} NOT NULL,
  seen_at ${d.integer} NOT NULL,
  -- Tracks with a greater row id are in no message yet.
  notified_row_id ${d.integer} NOT NULL,
  version ${d.integer} NOT NULL,
  created_at ${d.integer} NOT NULL,
  updated_at ${d.integer} NOT NULL,
  UNIQUE (client_row_id, mode, folded_name)
) ${d.table};
CREATE INDEX saved_searches_by_notify ON saved_searches (notify);
`,
};

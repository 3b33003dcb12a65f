import type { Migration } from '../schema-dialect.ts';

/** The lists of tracks that clients keep, and with whom they share them. */
export const collections: Migration = {
  summary: 'collections',
  compatibleFrom: 10,
  common: (d) => `
CREATE TABLE collections (
  row_id ${d.rowNumber},
  id ${d.text} NOT NULL UNIQUE,
  client_row_id ${d.integer} NOT NULL REFERENCES clients ON DELETE CASCADE,
  mode ${d.text} NOT NULL CHECK (mode IN ('test', 'live')),
  name ${d.text} NOT NULL,
  description ${d.text} NOT NULL,
  version ${d.integer} NOT NULL,
  created_at ${d.integer} NOT NULL,
  updated_at ${d.integer} NOT NULL
) ${d.table};
CREATE INDEX collections_by_client ON collections (client_row_id, mode, created_at);

CREATE TABLE collection_tracks (
  collection_row_id ${d.integer} NOT NULL REFERENCES collections ON DELETE CASCADE,
  -- Ascends along the list, with gaps.
  position ${d.integer} NOT NULL,
  track_row_id ${d.integer} NOT NULL REFERENCES tracks ON DELETE CASCADE,
  note ${d.text} NOT NULL,
  added_at ${d.integer} NOT NULL,
  PRIMARY KEY (collection_row_id, position),
  UNIQUE (collection_row_id, track_row_id)
) ${d.keyedTable};
CREATE INDEX collection_tracks_by_track ON collection_tracks (track_row_id);

CREATE TABLE collection_shares (
  collection_row_id ${d.integer} NOT NULL REFERENCES collections ON DELETE CASCADE,
  client_row_id ${d.integer} NOT NULL REFERENCES clients ON DELETE CASCADE,
  PRIMARY KEY (collection_row_id, client_row_id)
) ${d.keyedTable};
CREATE INDEX collection_shares_by_client ON collection_shares (client_row_id);
`,
};

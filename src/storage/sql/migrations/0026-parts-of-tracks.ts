import type { Migration } from '../schema-dialect.ts';

/** The stems and alternate versions of tracks. Nodes of the version before leave them as they are. */
export const partsOfTracks: Migration = {
  summary: 'stems and alternate versions of tracks',
  compatibleFrom: 10,
  common: (d) => `
CREATE TABLE track_parts (
  row_id ${d.rowNumber},
  id ${d.text} NOT NULL UNIQUE,
  track_row_id ${d.integer} NOT NULL${d.bulkReference('tracks ON DELETE CASCADE')},
  part ${d.text} NOT NULL CHECK (part IN ('stem', 'version')),
  kind ${d.text} NOT NULL,
  -- Null if it was delivered without one.
  name ${d.text},
  -- 0 if unknown.
  duration_seconds ${d.integer} NOT NULL CHECK (duration_seconds >= 0),
  audio_key ${d.text} NOT NULL,
  size_bytes ${d.integer} NOT NULL CHECK (size_bytes > 0),
  -- In the list, from 0 on.
  position ${d.integer} NOT NULL
) ${d.table};
CREATE INDEX track_parts_by_track ON track_parts (track_row_id, part, position);

-- The rows of track_parts as JSON arrays; null if the batch did not change the list.
ALTER TABLE former_tracks ADD COLUMN stems ${d.text};
ALTER TABLE former_tracks ADD COLUMN versions ${d.text};
CREATE INDEX former_tracks_with_parts ON former_tracks (batch_row_id, track_row_id)
  WHERE stems IS NOT NULL OR versions IS NOT NULL;
`,
};

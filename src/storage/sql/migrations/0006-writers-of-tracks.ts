import type { Migration } from '../schema-dialect.ts';

/** What the societies need to know of a work. Nodes of the version before leave it as it is. */
export const writersOfTracks: Migration = {
  summary: 'writers and ISWC of tracks',
  compatibleFrom: 10,
  common: (d) => `
-- Null if unknown.
ALTER TABLE tracks ADD COLUMN iswc ${d.text};
-- The parties of which more is known than their credit.
CREATE TABLE track_writers (
  track_row_id ${d.integer} NOT NULL${d.bulkReference('tracks ON DELETE CASCADE')},
  position ${d.integer} NOT NULL,
  name ${d.text} NOT NULL,
  role ${d.text} NOT NULL,
  ipi ${d.text},
  society ${d.text},
  -- In hundredths of a percent.
  share ${d.integer} CHECK (share BETWEEN 0 AND 10000),
  PRIMARY KEY (track_row_id, position)
) ${d.keyedTable};
-- '' if it was unknown. Null in rows of the version before, which does not know it.
ALTER TABLE former_tracks ADD COLUMN iswc ${d.text};
-- The rows of track_writers as a JSON array; null if the batch did not change them.
ALTER TABLE former_tracks ADD COLUMN writers ${d.text};
`,
};

import type { Migration } from '../schema.ts';

export const trackEdits: Migration = {
  summary: 'edits of tracks by the operator',
  // The import of an earlier program would overwrite the edits.
  compatibleFrom: 47,
  common: (d) => `
-- The values that the operator has given tracks in place of the delivered ones. The columns of tracks contain the edited values.
CREATE TABLE track_edits (
  track_row_id ${d.integer} NOT NULL PRIMARY KEY REFERENCES tracks ON DELETE CASCADE,
  -- TrackEdits as JSON: by field, the value, the delivered value, who edited it and when.
  edits ${d.text} NOT NULL
) ${d.table};
`,
};

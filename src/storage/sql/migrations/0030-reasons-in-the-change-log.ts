import type { Migration } from '../schema-dialect.ts';

/**
 * Why the operator changed something, and how an operator finds tracks by what a letter names. Both columns are null in
 * rows without a reason, and in those of the version before.
 */
export const reasonsInTheChangeLog: Migration = {
  compatibleFrom: 10,
  summary: 'why something was changed, and an index of ISRCs',
  common: (d) => `
ALTER TABLE change_log ADD COLUMN reason ${d.text};
-- What the reason refers to, such as the number of a letter.
ALTER TABLE change_log ADD COLUMN reference ${d.text};

-- Tracks without an ISRC have ''.
CREATE INDEX tracks_by_isrc ON tracks (isrc, row_id) WHERE isrc <> '';
`,
};

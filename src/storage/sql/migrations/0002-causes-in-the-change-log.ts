import type { Migration } from '../schema-dialect.ts';

/** The partner of a change and what of the entity changed. All are null in rows of the version before. */
export const causesInTheChangeLog: Migration = {
  summary: 'the client of a change, and what of a track changed, in the change log',
  compatibleFrom: 10,
  common: (d) => `
ALTER TABLE change_log ADD COLUMN client_id ${d.text};
ALTER TABLE change_log ADD COLUMN mode ${d.text};
-- A JSON array.
ALTER TABLE change_log ADD COLUMN changed ${d.text};
`,
};

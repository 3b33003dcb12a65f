import type { Migration } from '../schema-dialect.ts';

/** The rows of the index, in the words of its condition: only a query with the same words uses it. */
export const TAKEDOWNS = `entity = 'track' AND kind IN ('taken_down', 'withdrawn')`;

/** Finds when a track was taken down, which is shown to the partners that refer to it. */
export const takedownsInTheChangeLog: Migration = {
  summary: 'an index of takedowns in the change log',
  compatibleFrom: 10,
  common: () => `
CREATE INDEX change_log_of_takedowns ON change_log (entity_id, seq) WHERE ${TAKEDOWNS};
`,
};

import type { Migration } from '../schema-dialect.ts';

/** Finds the first job of each format, so that those that no node decodes cost nothing. */
export const queuedFormats: Migration = {
  summary: 'an index of the formats of queued previews',
  compatibleFrom: 10,
  common: () => `
CREATE INDEX renditions_queued_by_format ON renditions (format, priority DESC, updated_at) WHERE state = 'queued';
DROP INDEX renditions_queued;
`,
};

import type { Migration } from '../schema-dialect.ts';

/**
 * Counts how often a job was put off because its audio could not be read, so that each pause is longer than the one
 * before. The time of its end is `updated_at` of the queued job.
 */
export const postponedRenditions: Migration = {
  summary: 'pauses of previews whose audio cannot be read',
  compatibleFrom: 10,
  common: (d) => `
ALTER TABLE renditions ADD COLUMN postponements ${d.integer} NOT NULL DEFAULT 0;
`,
};

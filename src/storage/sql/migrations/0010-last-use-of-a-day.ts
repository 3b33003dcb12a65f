import type { Migration } from '../schema-dialect.ts';

/**
 * The time of the last event of a day, so that the last use of a track is found without its events. It is null for days
 * that only an earlier version has written.
 */
export const lastUseOfADay: Migration = {
  summary: 'the last use of a track on a day',
  compatibleFrom: 10,
  common: (d) => `ALTER TABLE usage_days ADD COLUMN last_occurred_at ${d.integer};`,
};

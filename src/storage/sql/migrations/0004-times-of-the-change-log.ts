import type { Migration } from '../schema-dialect.ts';

/** Finds the first change at or after a time, which never decreases along the log. */
export const timesOfTheChangeLog: Migration = {
  summary: 'an index of the times of the change log',
  compatibleFrom: 10,
  common: () => 'CREATE INDEX change_log_by_time ON change_log (at);',
};

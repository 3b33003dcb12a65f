import type { Migration } from '../schema-dialect.ts';

/** The rows of the index, in the words of its condition: only a query with the same words uses it. */
export const CREATIONS = `entity = 'track' AND kind = 'created'`;

/** Finds the last track that was created up to a change, however many tracks were edited since. */
export const creationsInTheChangeLog: Migration = {
  summary: 'an index of created tracks in the change log',
  compatibleFrom: 10,
  common: () => '',
  // SQLite prefers an index of more columns, and PostgreSQL the smallest one.
  sqlite: `CREATE INDEX change_log_of_creations ON change_log (kind, seq) WHERE ${CREATIONS};`,
  postgres: `CREATE INDEX change_log_of_creations ON change_log (seq) WHERE ${CREATIONS};`,
};

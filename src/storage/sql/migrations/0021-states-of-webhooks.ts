import type { Migration } from '../schema-dialect.ts';

/** The rows of the index, in the words of its condition: only a query with the same words uses it. */
export const NEW_COLLECTIONS = `entity = 'collection' AND kind = 'created'`;

/** What tells whether an endpoint works, and how long its messages have been pending. */
export const statesOfWebhooks: Migration = {
  summary: 'whether webhooks work, and since when messages wait',
  compatibleFrom: 10,
  common: (d) => `
-- The end of the last attempt that failed; null if none has.
ALTER TABLE webhooks ADD COLUMN last_failure_at ${d.integer};

-- The time of the last replay; null without one.
ALTER TABLE webhook_deliveries ADD COLUMN replayed_at ${d.integer};
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_row_id, type, count, created_at, replayed_at)
  WHERE state = 'pending';
DROP INDEX webhook_deliveries_undelivered;

-- Lists and counts the deliveries of a state or a type without reading rows, whose bodies have up to 20 kB.
CREATE INDEX webhook_deliveries_by_state ON webhook_deliveries (webhook_row_id, state, created_at, id);
CREATE INDEX webhook_deliveries_by_type ON webhook_deliveries (webhook_row_id, type, created_at, id, state);
`,
  // Finds where the chains of collections begin. SQLite prefers an index of more columns, and PostgreSQL the smallest one.
  sqlite: `CREATE INDEX change_log_of_new_collections ON change_log (kind, entity_id, seq) WHERE ${NEW_COLLECTIONS};`,
  postgres: `CREATE INDEX change_log_of_new_collections ON change_log (entity_id, seq) WHERE ${NEW_COLLECTIONS};`,
};

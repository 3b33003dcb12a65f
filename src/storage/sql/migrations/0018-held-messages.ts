import type { Migration } from '../schema-dialect.ts';

/**
 * What sending messages about saved searches needs, and what bounds the messages that wait for an endpoint: up to where
 * the messages of an endpoint are made, which changes are in no message yet, and who sends a message now.
 */
export const heldMessages: Migration = {
  summary: 'messages to webhooks that wait',
  compatibleFrom: 10,
  common: (d) => `
-- The position of the log when the search was created; null if that was before this column.
ALTER TABLE saved_searches ADD COLUMN created_seq ${d.integer};
-- The time of the last message.
ALTER TABLE saved_searches ADD COLUMN notified_at ${d.integer};

-- Tracks with a greater row id were created after start_seq.
ALTER TABLE webhook_chains ADD COLUMN start_row_id ${d.integer} NOT NULL DEFAULT 0;
-- JSON of the changes after seq that wait for the next message (HeldChanges in fan-out-store.ts).
ALTER TABLE webhook_chains ADD COLUMN held ${d.text};
CREATE INDEX webhook_chains_of_types ON webhook_chains (webhook_row_id, type) WHERE subject = '';
CREATE INDEX webhook_chains_held ON webhook_chains (webhook_row_id) WHERE held IS NOT NULL;

-- Up to this change of the log, the messages are made. The position of all endpoints may be less.
ALTER TABLE webhooks ADD COLUMN position ${d.integer} NOT NULL DEFAULT 0;

-- Until then, the process that took the message is sending it.
ALTER TABLE webhook_deliveries ADD COLUMN claimed_until ${d.integer};
CREATE INDEX webhook_deliveries_undelivered ON webhook_deliveries (webhook_row_id, type, created_at, count)
  WHERE state = 'pending';
`,
};

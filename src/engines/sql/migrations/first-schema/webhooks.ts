import type { SchemaPart } from '../../schema-dialect.ts';

/** The endpoints to which messages about changes are sent, and these messages. */
export const webhooks: SchemaPart = {
  common: (d) => `
CREATE TABLE webhooks (
  -- Never reused, because the deliveries of a deleted endpoint are deleted later.
  row_id ${d.neverReusedRowNumber},
  id ${d.text} NOT NULL UNIQUE,
  client_row_id ${d.integer} NOT NULL REFERENCES clients ON DELETE CASCADE,
  mode ${d.text} NOT NULL CHECK (mode IN ('test', 'live')),
  url ${d.text} NOT NULL,
  event_types ${d.jsonArray('event_types')} NOT NULL,
  description ${d.text} NOT NULL,
  referenced_only ${d.boolean('referenced_only')} NOT NULL,
  enabled ${d.boolean('enabled')} NOT NULL,
  disabled_reason ${d.text},
  enabled_at ${d.integer} NOT NULL,
  last_success_at ${d.integer},
  version ${d.integer} NOT NULL,
  created_at ${d.integer} NOT NULL,
  updated_at ${d.integer} NOT NULL,
  -- Up to this change of the log, the messages are made. The position of all endpoints may be less.
  position ${d.integer} NOT NULL DEFAULT 0,
  -- The end of the last attempt that failed; null if none has.
  last_failure_at ${d.integer}
) ${d.table};
CREATE INDEX webhooks_by_client ON webhooks (client_row_id, mode, created_at);

CREATE TABLE webhook_secrets (
  row_id ${d.rowNumber},
  webhook_row_id ${d.integer} NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  secret ${d.bytes} NOT NULL,
  -- Null for the current one.
  valid_until ${d.integer}
) ${d.table};
CREATE INDEX webhook_secrets_by_webhook ON webhook_secrets (webhook_row_id);

-- Up to where the changes of the log have become messages. One row, which counts only in its epoch of the log.
CREATE TABLE webhook_position (
  epoch ${d.text} NOT NULL PRIMARY KEY,
  seq ${d.integer} NOT NULL
) ${d.keyedTable};

-- The last message of each chain. The chain of a type is the one without a subject.
CREATE TABLE webhook_chains (
  webhook_row_id ${d.integer} NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  type ${d.text} NOT NULL,
  -- The id of a collection or a saved search, or nothing.
  subject ${d.text} NOT NULL,
  -- Only changes after this one are sent.
  start_seq ${d.integer} NOT NULL,
  -- The change of the last message.
  seq ${d.integer} NOT NULL,
  -- Tracks with a greater row id were created after start_seq.
  start_row_id ${d.integer} NOT NULL DEFAULT 0,
  -- JSON of the changes after seq that wait for the next message (HeldChanges in fan-out-store.ts).
  held ${d.text},
  PRIMARY KEY (webhook_row_id, type, subject)
) ${d.keyedTable};
CREATE INDEX webhook_chains_of_types ON webhook_chains (webhook_row_id, type) WHERE subject = '';
CREATE INDEX webhook_chains_held ON webhook_chains (webhook_row_id) WHERE held IS NOT NULL;

CREATE TABLE webhook_deliveries (
  row_id ${d.rowNumber},
  id ${d.text} NOT NULL UNIQUE,
  -- Not a reference: an endpoint may have a million deliveries, which are deleted in short transactions after it.
  webhook_row_id ${d.integer} NOT NULL,
  type ${d.text} NOT NULL,
  from_seq ${d.integer},
  seq ${d.integer},
  previous_seq ${d.integer},
  -- The number of changes that it reports.
  count ${d.integer} NOT NULL,
  body ${d.text} NOT NULL,
  state ${d.text} NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'discarded')),
  attempts ${d.integer} NOT NULL,
  -- Since it was created or replayed.
  schedule_attempts ${d.integer} NOT NULL,
  next_at ${d.integer},
  created_at ${d.integer} NOT NULL,
  finished_at ${d.integer},
  -- Until then, the process that took the message is sending it.
  claimed_until ${d.integer},
  -- The time of the last replay; null without one.
  replayed_at ${d.integer},
  CHECK ((state = 'pending') = (next_at IS NOT NULL)),
  CHECK ((state = 'pending') = (finished_at IS NULL))
) ${d.table};
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_row_id, next_at) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_row_id, created_at, id);
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (created_at);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_row_id, type, count, created_at, replayed_at)
  WHERE state = 'pending';
-- Lists and counts the deliveries of a state or a type without reading rows, whose bodies have up to 20 kB.
CREATE INDEX webhook_deliveries_by_state ON webhook_deliveries (webhook_row_id, state, created_at, id);
CREATE INDEX webhook_deliveries_by_type ON webhook_deliveries (webhook_row_id, type, created_at, id, state);

CREATE TABLE webhook_attempts (
  delivery_row_id ${d.integer} NOT NULL REFERENCES webhook_deliveries ON DELETE CASCADE,
  attempt ${d.integer} NOT NULL,
  at ${d.integer} NOT NULL,
  duration_ms ${d.integer} NOT NULL,
  status ${d.integer},
  error ${d.text},
  response ${d.text} NOT NULL,
  PRIMARY KEY (delivery_row_id, attempt)
) ${d.keyedTable};
`,
};

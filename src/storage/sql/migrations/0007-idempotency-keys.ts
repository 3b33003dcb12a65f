import type { Migration } from '../schema-dialect.ts';

/** The keys by which clients mark repeated requests, each with the response that repeats get. */
export const idempotencyKeys: Migration = {
  summary: 'keys of repeated requests',
  compatibleFrom: 10,
  common: (d) => `
CREATE TABLE idempotency_keys (
  -- Not a reference, because that would lock the row of the client in each write.
  client_id ${d.text} NOT NULL,
  mode ${d.text} NOT NULL CHECK (mode IN ('test', 'live')),
  key ${d.text} NOT NULL,
  -- Of the request.
  fingerprint ${d.bytes} NOT NULL CHECK (length(fingerprint) = 32),
  state ${d.text} NOT NULL CHECK (state IN ('pending', 'done')),
  -- When another request may take over a pending key. It also identifies the request that claimed the key.
  claimed_until ${d.integer} NOT NULL,
  -- The response, once the request is done; a long body is compressed.
  status ${d.integer},
  headers ${d.text},
  body ${d.bytes},
  created_at ${d.integer} NOT NULL,
  PRIMARY KEY (client_id, mode, key),
  CHECK (state = 'pending' OR (status IS NOT NULL AND headers IS NOT NULL AND body IS NOT NULL))
) ${d.table};
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (created_at);
`,
};

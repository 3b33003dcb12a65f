import type { SchemaPart } from '../../schema-dialect.ts';

/** Clients with their secrets, the keys that sign tokens and URLs, and what clients have requested. */
export const access: SchemaPart = {
  common: (d) => `
CREATE TABLE clients (
  row_id ${d.rowNumber},
  id ${d.text} NOT NULL UNIQUE,
  name ${d.text} NOT NULL,
  scopes ${d.jsonArray('scopes')} NOT NULL,
  features ${d.jsonArray('features')} NOT NULL,
  rate_limit ${d.integer} CHECK (rate_limit > 0),
  enabled ${d.boolean('enabled')} NOT NULL,
  created_at ${d.integer} NOT NULL,
  -- Null for an account of its own.
  account ${d.text},
  -- Null for the standard one.
  rate_card ${d.text}
) ${d.table};

CREATE TABLE client_secrets (
  row_id ${d.rowNumber},
  id ${d.text} NOT NULL UNIQUE,
  client_row_id ${d.integer} NOT NULL REFERENCES clients ON DELETE CASCADE,
  mode ${d.text} NOT NULL CHECK (mode IN ('test', 'live')),
  hash ${d.text} NOT NULL UNIQUE CHECK (length(hash) = 64 AND ${d.hasOnly('hash', '0-9a-f')}),
  created_at ${d.integer} NOT NULL,
  revoked_at ${d.integer}
) ${d.table};
CREATE INDEX client_secrets_by_client ON client_secrets (client_row_id);

CREATE TABLE signing_keys (
  row_id ${d.rowNumber},
  id ${d.text} NOT NULL UNIQUE,
  purpose ${d.text} NOT NULL CHECK (purpose IN ('token', 'url')),
  secret ${d.bytes} NOT NULL CHECK (length(secret) = 32),
  created_at ${d.integer} NOT NULL,
  retired_at ${d.integer}
) ${d.table};

-- The keys by which clients mark repeated requests, each with the response that repeats get.
CREATE TABLE idempotency_keys (
  -- Not a reference, because that would lock the row of the client in each write.
  client_id ${d.text} NOT NULL,
  mode ${d.text} NOT NULL CHECK (mode IN ('test', 'live')),
  key ${d.text} NOT NULL,
  -- Of the request.
  fingerprint ${d.bytes} NOT NULL CHECK (length(fingerprint) = 32),
  state ${d.text} NOT NULL CHECK (state IN ('pending', 'done')),
  -- When another request may take over a pending key.
  claimed_until ${d.integer} NOT NULL,
  -- The response, once the request is done; a long body is compressed.
  status ${d.integer},
  headers ${d.text},
  body ${d.bytes},
  created_at ${d.integer} NOT NULL,
  -- A random number, by which a node recognizes its own claim: two claims may have the same end.
  claim_id ${d.integer} NOT NULL DEFAULT 0,
  PRIMARY KEY (client_id, mode, key),
  CHECK (state = 'pending' OR (status IS NOT NULL AND headers IS NOT NULL AND body IS NOT NULL))
) ${d.table};
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (created_at);

-- How much clients use the service.
CREATE TABLE client_requests (
  -- Not references, because those would lock the rows of the client in each write.
  client_id ${d.text} NOT NULL,
  secret_id ${d.text} NOT NULL,
  -- The start of the step.
  at ${d.integer} NOT NULL,
  -- Includes those that were limited.
  requests ${d.integer} NOT NULL,
  limited ${d.integer} NOT NULL,
  -- The last request with a token of the secret, or for such a token.
  used_at ${d.integer} NOT NULL,
  PRIMARY KEY (client_id, secret_id, at)
) ${d.keyedTable};
CREATE INDEX client_requests_by_time ON client_requests (at);

-- What was sent of which track to whom.
CREATE TABLE media_requests (
  -- The start of the month. It comes first in the key, so that months are written side by side and deleted without a scan.
  at ${d.integer} NOT NULL,
  -- Not references: a report outlives the track and the client.
  track_id ${d.text} NOT NULL,
  client_id ${d.text} NOT NULL,
  mode ${d.text} NOT NULL,
  -- stream, preview, part or archive
  kind ${d.text} NOT NULL,
  requests ${d.integer} NOT NULL,
  first_at ${d.integer} NOT NULL,
  last_at ${d.integer} NOT NULL,
  PRIMARY KEY (at, track_id, client_id, mode, kind)
) ${d.keyedTable};
`,
  sqlite: `
-- At most two live secrets per mode, whatever the program does.
CREATE TRIGGER client_secrets_bound BEFORE INSERT ON client_secrets
WHEN new.revoked_at IS NULL AND 2 <= (
  SELECT count(*) FROM client_secrets
  WHERE client_row_id = new.client_row_id AND mode = new.mode AND revoked_at IS NULL
)
BEGIN
  SELECT RAISE(ABORT, 'a client has two live secrets in a mode at most');
END;
`,
  postgres: `
-- At most two live secrets per mode, whatever the program does.
CREATE FUNCTION bound_live_secrets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF new.revoked_at IS NULL AND 2 <= (
    SELECT count(*) FROM client_secrets
    WHERE client_row_id = new.client_row_id AND mode = new.mode AND revoked_at IS NULL
  ) THEN
    RAISE EXCEPTION 'a client has two live secrets in a mode at most';
  END IF;
  RETURN new;
END $$;
CREATE TRIGGER client_secrets_bound BEFORE INSERT ON client_secrets
FOR EACH ROW EXECUTE FUNCTION bound_live_secrets();
`,
};

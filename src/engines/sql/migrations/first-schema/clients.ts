import type { SchemaDialect, SchemaPart } from '../../schema.ts';

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

/** Rate cards, quotes, the licenses that are sold through the API, and imported ones. */
export const licensing: SchemaPart = {
  common: (d) => `
-- The licenses that were sold elsewhere and are imported.
CREATE TABLE licenses (
  row_id ${d.rowNumber},
  external_id ${d.text} NOT NULL UNIQUE,
  track_row_id ${d.integer} NOT NULL REFERENCES tracks ON DELETE CASCADE,
  mode ${d.text} NOT NULL CHECK (mode IN ('test', 'live')),
  licensed_at ${d.integer} NOT NULL,
  -- Not a reference: a sold license stays on record when its client is deleted.
  client_id ${d.text}
) ${d.table};
CREATE INDEX licenses_by_track ON licenses (track_row_id);
-- Counting the most licensed tracks reads only this index.
CREATE INDEX licenses_by_time ON licenses (mode, licensed_at, track_row_id);

CREATE TABLE rate_cards (
  row_id ${d.rowNumber},
  name ${d.text} NOT NULL,
  version ${d.integer} NOT NULL,
  -- JSON, as it was published.
  document ${d.text} NOT NULL,
  published_at ${d.integer} NOT NULL,
  withdrawn_at ${d.integer},
  by ${d.text} NOT NULL,
  UNIQUE (name, version)
) ${d.table};

CREATE TABLE quotes (
  row_id ${d.rowNumber},
  id ${d.text} NOT NULL UNIQUE,
  -- Not a reference: a contract stays on record when its client is deleted.
  client_id ${d.text} NOT NULL,
  mode ${d.text} NOT NULL CHECK (mode IN ('test', 'live')),
  -- Null for a fixture track without a rate card.
  rate_card_row_id ${d.integer} REFERENCES rate_cards,
  -- JSON: what the client has requested.
  request ${d.text} NOT NULL,
  -- JSON: what it has got.
  document ${d.text} NOT NULL,
  amount_minor ${d.integer} NOT NULL,
  currency ${d.text} NOT NULL,
  created_at ${d.integer} NOT NULL,
  expires_at ${d.integer} NOT NULL,
  -- Not a reference, because the license refers to the quote.
  license_row_id ${d.integer},
  -- Not derived from expires_at, because a test request may state another time than that of the clock.
  kept_until ${d.integer} NOT NULL DEFAULT 9007199254740991
) ${d.table};
CREATE INDEX quotes_by_client ON quotes (client_id, mode, created_at, id);
CREATE INDEX quotes_by_rate_card ON quotes (rate_card_row_id);
CREATE INDEX quotes_by_retention ON quotes (kept_until) WHERE license_row_id IS NULL;
-- The ids of quotes are in the order in which they were made.
CREATE INDEX quotes_of_client ON quotes (client_id, id);

CREATE TABLE issued_licenses (
  row_id ${d.rowNumber},
  number ${d.text} NOT NULL UNIQUE,
  -- Not a reference, as in quotes.
  client_id ${d.text} NOT NULL,
  mode ${d.text} NOT NULL CHECK (mode IN ('test', 'live')),
  quote_row_id ${d.integer} NOT NULL UNIQUE REFERENCES quotes,
  -- JSON.
  document ${d.text} NOT NULL,
  -- A compact JWS.
  certificate ${d.text} NOT NULL,
  amount_minor ${d.integer} NOT NULL,
  currency ${d.text} NOT NULL,
  issued_at ${d.integer} NOT NULL,
  starts_at ${d.integer} NOT NULL,
  -- Null if it does not end.
  ends_at ${d.integer},
  revoked_at ${d.integer},
  reason ${d.text},
  production_id ${d.text}
) ${d.table};
CREATE INDEX issued_licenses_by_time ON issued_licenses (issued_at, number);
-- These have all columns that a condition on the state reads.
CREATE INDEX issued_licenses_by_production
  ON issued_licenses (client_id, mode, production_id, issued_at, number, starts_at, ends_at, revoked_at)
  WHERE production_id IS NOT NULL;
CREATE INDEX issued_licenses_of_client
  ON issued_licenses (client_id, mode, issued_at, number, starts_at, ends_at, revoked_at);

-- The next two tables decide in SQL whether licenses collide. Their columns are short, because the documents and
-- certificates of licenses have many kilobytes.
CREATE TABLE issued_license_tracks (
  license_row_id ${d.integer} NOT NULL REFERENCES issued_licenses,
  position ${d.integer} NOT NULL,
  -- Not a reference: a contract stays on record when its track is removed.
  track_id ${d.text} NOT NULL,
  exclusive ${d.boolean('exclusive')} NOT NULL,
  mode ${d.text} NOT NULL DEFAULT 'live',
  -- The end of the license; 2^53 - 1 if it does not end, 0 if it was revoked.
  occupied_until ${d.integer} NOT NULL DEFAULT 0,
  PRIMARY KEY (license_row_id, position)
) ${d.keyedTable};
CREATE INDEX issued_license_tracks_by_use
  ON issued_license_tracks (track_id, mode, exclusive, occupied_until, license_row_id);

CREATE TABLE issued_license_uses (
  license_row_id ${d.integer} NOT NULL PRIMARY KEY REFERENCES issued_licenses,
  client_id ${d.text} NOT NULL,
  media ${d.jsonArray('media')} NOT NULL,
  territories ${d.jsonArray('territories')} NOT NULL,
  starts_at ${d.integer} NOT NULL
) ${d.table};

CREATE TABLE license_counters (
  mode ${d.text} NOT NULL CHECK (mode IN ('test', 'live')),
  year ${d.integer} NOT NULL,
  -- The number of licenses of the year.
  last ${d.integer} NOT NULL,
  PRIMARY KEY (mode, year)
) ${d.keyedTable};

-- The keys that sign certificates of licenses. Rows are never deleted: certificates stay valid.
CREATE TABLE license_keys (
  row_id ${d.rowNumber},
  -- The thumbprint of the public key (RFC 7638).
  kid ${d.text} NOT NULL UNIQUE,
  mode ${d.text} NOT NULL CHECK (mode IN ('test', 'live')),
  public ${d.bytes} NOT NULL,
  secret ${d.bytes} NOT NULL,
  created_at ${d.integer} NOT NULL,
  retired_at ${d.integer}
) ${d.table};
`,
};

/** The columns of an event after its row id, which each database assigns in its own way. */
const eventColumns = (d: Pick<SchemaDialect, 'text' | 'integer' | 'bytes' | 'boolean'>) => `
  -- The month in which it occurred, in UTC, as a number such as 202611.
  month ${d.integer} NOT NULL,
  source_row_id ${d.integer} NOT NULL,
  event_id ${d.text} NOT NULL,
  -- 1 is a stream, 2 a download, 3 a sync.
  type ${d.integer} NOT NULL,
  track_row_id ${d.integer} NOT NULL,
  occurred_at ${d.integer} NOT NULL,
  received_at ${d.integer} NOT NULL,
  batch_id ${d.text} NOT NULL,
  seconds ${d.integer},
  country ${d.text},
  -- An HMAC of the id that the client has for its user. The id itself is nowhere.
  user_hash ${d.bytes},
  playlist_id ${d.text},
  end_reason ${d.text},
  offline ${d.boolean('offline')} NOT NULL,
  license_number ${d.text},
  production_id ${d.text},
  -- The cue as reported: a JSON object.
  cue ${d.text}`;

const BY_PRODUCTION = `
CREATE INDEX usage_events_by_production ON usage_events (source_row_id, production_id)
WHERE production_id IS NOT NULL;`;

/**
 * The reported use of tracks. Nothing refers to tracks or clients, because reports are billing records and outlive
 * both.
 */
export const usage: SchemaPart = {
  common: (d) => `
-- One row for each client and mode that has reported.
CREATE TABLE usage_sources (
  row_id ${d.rowNumber},
  client_id ${d.text} NOT NULL,
  mode ${d.text} NOT NULL CHECK (mode IN ('test', 'live')),
  -- Rises with each transaction that deletes events, so that sums from before are not used any more.
  purges ${d.integer} NOT NULL DEFAULT 0,
  UNIQUE (client_id, mode)
) ${d.table};

-- The tracks that were reported. A row stays when its track is removed; row ids of tracks are never reused.
CREATE TABLE usage_tracks (
  track_row_id ${d.integer} PRIMARY KEY,
  id ${d.text} NOT NULL,
  name ${d.text} NOT NULL,
  isrc ${d.text} NOT NULL
) ${d.table};
-- Finds the reported tracks of an id: several, if the track was removed and imported again.
CREATE INDEX usage_tracks_by_id ON usage_tracks (id);

-- The accepted events, so that each counts once: the first 16 bytes of the SHA-256 of the event id, and the first
-- 8 bytes of that of the content.
CREATE TABLE usage_event_ids (
  source_row_id ${d.integer} NOT NULL,
  hash ${d.bytes} NOT NULL CHECK (length(hash) = 16),
  content ${d.bytes} NOT NULL CHECK (length(content) = 8),
  PRIMARY KEY (source_row_id, hash)
) ${d.keyedTable};

-- The sums of each day in UTC, which is numbered from the epoch. The country is '' if unknown. The track 0 has the sums
-- over all tracks.
CREATE TABLE usage_days (
  source_row_id ${d.integer} NOT NULL,
  day ${d.integer} NOT NULL,
  track_row_id ${d.integer} NOT NULL,
  type ${d.integer} NOT NULL,
  country ${d.text} NOT NULL,
  events ${d.integer} NOT NULL,
  seconds ${d.integer} NOT NULL,
  -- So that the last use of a track is found without its events; null if it is unknown.
  last_occurred_at ${d.integer},
  PRIMARY KEY (source_row_id, day, track_row_id, type, country)
) ${d.keyedTable};

-- The sums of tracks over days and months, so that a summary by track need not read each row of usage_days. They are
-- derived from that table, and used only while they agree with it (usage-track-sums.ts).
CREATE TABLE usage_track_sums (
  source_row_id ${d.integer} NOT NULL,
  -- From the first to the last day, which are included.
  first_day ${d.integer} NOT NULL,
  last_day ${d.integer} NOT NULL,
  -- As in usage_sources, when the sums were made.
  purges ${d.integer} NOT NULL,
  -- The number of events in the sums.
  events ${d.integer} NOT NULL,
  -- The form is in track-sums.ts.
  sums ${d.bytes} NOT NULL,
  PRIMARY KEY (source_row_id, first_day, last_day)
) ${d.table};

-- The productions as last reported: a JSON object.
CREATE TABLE productions (
  source_row_id ${d.integer} NOT NULL,
  production_id ${d.text} NOT NULL,
  document ${d.text} NOT NULL,
  PRIMARY KEY (source_row_id, production_id)
) ${d.keyedTable};
`,
  sqlite: `
CREATE TABLE usage_events (
  row_id INTEGER PRIMARY KEY,${eventColumns({
    text: 'TEXT',
    integer: 'INTEGER',
    bytes: 'BLOB',
    boolean: (column) => `INTEGER CHECK (${column} IN (0, 1))`,
  })}
) STRICT;
CREATE INDEX usage_events_by_month ON usage_events (month, row_id);
${BY_PRODUCTION}
`,
  postgres: `
-- One partition for each month, which the service creates. The default one holds the events of other months.
CREATE TABLE usage_events (
  row_id bigint GENERATED BY DEFAULT AS IDENTITY,${eventColumns({
    text: 'text COLLATE "C"',
    integer: 'bigint',
    bytes: 'bytea',
    boolean: () => 'boolean',
  })},
  PRIMARY KEY (row_id, month)
) PARTITION BY RANGE (month);
CREATE TABLE usage_events_default PARTITION OF usage_events DEFAULT;
${BY_PRODUCTION}
`,
};

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

/** The waveforms and preview clips that are made of audio files. */
export const renditions: SchemaPart = {
  common: (d) => `
CREATE TABLE renditions (
  audio_key ${d.text} NOT NULL,
  kind ${d.text} NOT NULL CHECK (kind IN ('preview', 'waveform', 'waveform-dat')),
  -- The second at which a clip begins, or ''.
  variant ${d.text} NOT NULL,
  -- What a node must decode to make it: the extension of the audio, or 'ffmpeg'.
  format ${d.text} NOT NULL,
  media_key ${d.text},
  size ${d.integer},
  state ${d.text} NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed')),
  -- How often a node began to make it.
  attempts ${d.integer} NOT NULL,
  error ${d.text},
  priority ${d.integer} NOT NULL,
  claimed_by ${d.text},
  claimed_until ${d.integer},
  -- Of a job that was put off, the end of the pause.
  updated_at ${d.integer} NOT NULL,
  -- How often the job was put off because its audio could not be read. Each pause is longer than the one before.
  postponements ${d.integer} NOT NULL DEFAULT 0,
  PRIMARY KEY (audio_key, kind, variant),
  CHECK ((state = 'done') = (media_key IS NOT NULL)),
  CHECK ((state = 'done') = (size IS NOT NULL)),
  CHECK ((state = 'running') = (claimed_by IS NOT NULL)),
  CHECK ((state = 'running') = (claimed_until IS NOT NULL))
) ${d.keyedTable};
CREATE INDEX renditions_running ON renditions (claimed_until) WHERE state = 'running';
CREATE INDEX renditions_failed ON renditions (updated_at) WHERE state = 'failed';
-- Finds the first job of each format, so that those that no node decodes cost nothing.
CREATE INDEX renditions_queued_by_format ON renditions (format, priority DESC, updated_at) WHERE state = 'queued';

-- The nodes that make renditions.
CREATE TABLE rendition_nodes (
  node ${d.text} NOT NULL PRIMARY KEY,
  -- What it decodes.
  formats ${d.jsonArray('formats')} NOT NULL,
  seen_at ${d.integer} NOT NULL
) ${d.keyedTable};
`,
};

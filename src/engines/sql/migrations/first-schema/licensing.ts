import type { SchemaPart } from '../../schema-dialect.ts';

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

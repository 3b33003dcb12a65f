import type { Migration } from '../schema-dialect.ts';

/** Rate cards, quotes, and the licenses that are sold through the API. */
export const licensing: Migration = {
  summary: 'rate cards, quotes and licenses',
  compatibleFrom: 10,
  common: (d) => `
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
  license_row_id ${d.integer}
) ${d.table};
CREATE INDEX quotes_by_client ON quotes (client_id, mode, created_at, id);
CREATE INDEX quotes_by_time ON quotes (created_at, id);
CREATE INDEX quotes_by_expiry ON quotes (expires_at) WHERE license_row_id IS NULL;
CREATE INDEX quotes_by_rate_card ON quotes (rate_card_row_id);

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
  reason ${d.text}
) ${d.table};
CREATE INDEX issued_licenses_by_client ON issued_licenses (client_id, mode, issued_at, number);
CREATE INDEX issued_licenses_by_time ON issued_licenses (issued_at, number);

CREATE TABLE issued_license_tracks (
  license_row_id ${d.integer} NOT NULL REFERENCES issued_licenses,
  position ${d.integer} NOT NULL,
  -- Not a reference: a contract stays on record when its track is removed.
  track_id ${d.text} NOT NULL,
  exclusive ${d.boolean('exclusive')} NOT NULL,
  PRIMARY KEY (license_row_id, position)
) ${d.keyedTable};
CREATE INDEX issued_license_tracks_by_track ON issued_license_tracks (track_id);

CREATE TABLE license_counters (
  mode ${d.text} NOT NULL CHECK (mode IN ('test', 'live')),
  year ${d.integer} NOT NULL,
  -- The number of licenses of the year.
  last ${d.integer} NOT NULL,
  PRIMARY KEY (mode, year)
) ${d.keyedTable};
`,
};

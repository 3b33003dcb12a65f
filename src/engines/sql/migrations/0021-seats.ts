import type { Migration } from '../schema.ts';

export const seats: Migration = {
  summary: 'seats of clients, their sessions, and who made what',
  compatibleFrom: 47,
  common: (d) => `
-- The people of a client who sign in by links.
CREATE TABLE seats (
  row_id ${d.rowNumber},
  id ${d.text} NOT NULL UNIQUE,
  client_row_id ${d.integer} NOT NULL REFERENCES clients ON DELETE CASCADE,
  name ${d.text} NOT NULL,
  role ${d.text} NOT NULL CHECK (role IN ('listener', 'buyer')),
  mode ${d.text} NOT NULL CHECK (mode IN ('test', 'live')),
  enabled ${d.boolean('enabled')} NOT NULL,
  created_at ${d.integer} NOT NULL,
  UNIQUE (client_row_id, name)
) ${d.table};

-- The unused link of a seat. Using it deletes it.
CREATE TABLE sign_in_links (
  seat_row_id ${d.integer} NOT NULL PRIMARY KEY REFERENCES seats ON DELETE CASCADE,
  hash ${d.text} NOT NULL UNIQUE CHECK (length(hash) = 64 AND ${d.hasOnly('hash', '0-9a-f')}),
  created_at ${d.integer} NOT NULL,
  expires_at ${d.integer} NOT NULL
) ${d.keyedTable};

-- The browsers that are signed in, with a link of a seat or with a secret.
CREATE TABLE client_sessions (
  row_id ${d.rowNumber},
  id ${d.text} NOT NULL UNIQUE,
  seat_row_id ${d.integer} REFERENCES seats ON DELETE CASCADE,
  secret_row_id ${d.integer} REFERENCES client_secrets ON DELETE CASCADE,
  -- Of the cookie.
  hash ${d.text} NOT NULL UNIQUE CHECK (length(hash) = 64 AND ${d.hasOnly('hash', '0-9a-f')}),
  created_at ${d.integer} NOT NULL,
  expires_at ${d.integer} NOT NULL,
  CHECK ((seat_row_id IS NULL) <> (secret_row_id IS NULL))
) ${d.table};
CREATE INDEX client_sessions_of_seat ON client_sessions (seat_row_id);
CREATE INDEX client_sessions_of_secret ON client_sessions (secret_row_id);

-- JSON of who made the collection, and of who wrote the note; null for the client itself.
ALTER TABLE collections ADD COLUMN by ${d.text};
ALTER TABLE collection_tracks ADD COLUMN note_by ${d.text};
`,
};

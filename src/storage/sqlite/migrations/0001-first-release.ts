/**
 * The first schema. Times are milliseconds since the epoch, booleans 0 and 1. `no` is a table's own
 * short number, by which other tables refer to a row; `id` is the public UUID, lower case.
 */
export const firstRelease = `
CREATE TABLE tracks (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE CHECK (length(id) = 36 AND id = lower(id)),
  slug TEXT NOT NULL UNIQUE CHECK (length(slug) BETWEEN 1 AND 100 AND slug NOT GLOB '*[^a-z0-9-]*'),
  state TEXT NOT NULL DEFAULT 'live' CHECK (state IN ('live', 'taken_down')),
  source TEXT NOT NULL,
  external_id TEXT,
  -- What queries use; the whole track stands in document.
  name TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('music', 'sfx')),
  has_vocals INTEGER NOT NULL CHECK (has_vocals IN (0, 1)),
  released_at INTEGER NOT NULL,
  duration_seconds INTEGER NOT NULL CHECK (duration_seconds >= 0),
  isrc TEXT NOT NULL,
  audio_key TEXT,
  artwork_key TEXT,
  -- Of the delivery that was written last; an equal one changes nothing.
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- The track as the API shows it, but for its URLs: a JSON object. Last, for it is the longest.
  document TEXT NOT NULL
) STRICT;
-- Pruning and removing a source walk it in the order of no.
CREATE INDEX tracks_by_source ON tracks (source);
CREATE INDEX tracks_taken_down ON tracks (state) WHERE state = 'taken_down';

CREATE TABLE artists (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  external_id TEXT,
  -- As credited last.
  name TEXT NOT NULL
) STRICT;

CREATE TABLE track_artists (
  track_no INTEGER NOT NULL REFERENCES tracks ON DELETE CASCADE,
  artist_no INTEGER NOT NULL REFERENCES artists,
  PRIMARY KEY (track_no, artist_no)
) STRICT, WITHOUT ROWID;
CREATE INDEX track_artists_by_artist ON track_artists (artist_no);

CREATE TABLE filters (
  -- Never given twice, so that what was read by number stays true.
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Derived from the type and the slug of the name.
  id TEXT NOT NULL UNIQUE CHECK (length(id) = 36 AND id = lower(id)),
  slug TEXT NOT NULL UNIQUE CHECK (length(slug) BETWEEN 1 AND 100 AND slug NOT GLOB '*[^a-z0-9-]*'),
  type TEXT NOT NULL CHECK (type IN ('genre', 'mood', 'use-case')),
  name TEXT NOT NULL
) STRICT;

CREATE TABLE track_filters (
  track_no INTEGER NOT NULL REFERENCES tracks ON DELETE CASCADE,
  filter_no INTEGER NOT NULL REFERENCES filters,
  PRIMARY KEY (track_no, filter_no)
) STRICT, WITHOUT ROWID;
CREATE INDEX track_filters_by_filter ON track_filters (filter_no);

-- Where the numbering of a slug goes on. A hint only: a lost row costs time, never uniqueness.
CREATE TABLE slug_series (
  kind TEXT NOT NULL CHECK (kind IN ('track', 'playlist', 'filter')),
  base TEXT NOT NULL,
  next INTEGER NOT NULL CHECK (next > 2),
  PRIMARY KEY (kind, base)
) STRICT, WITHOUT ROWID;

CREATE TABLE clients (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL CHECK (json_type(scopes) = 'array'),
  features TEXT NOT NULL CHECK (json_type(features) = 'array'),
  rate_limit INTEGER CHECK (rate_limit > 0),
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE client_secrets (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  client_no INTEGER NOT NULL REFERENCES clients ON DELETE CASCADE,
  mode TEXT NOT NULL CHECK (mode IN ('test', 'live')),
  hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64 AND hash NOT GLOB '*[^0-9a-f]*'),
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;
CREATE INDEX client_secrets_by_client ON client_secrets (client_no);
-- Two live ones a mode at most, whatever the program thinks (decisions §2).
CREATE TRIGGER client_secrets_bound BEFORE INSERT ON client_secrets
WHEN new.revoked_at IS NULL AND 2 <= (
  SELECT count(*) FROM client_secrets
  WHERE client_no = new.client_no AND mode = new.mode AND revoked_at IS NULL
)
BEGIN
  SELECT RAISE(ABORT, 'a client has two live secrets in a mode at most');
END;

CREATE TABLE playlists (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE CHECK (length(id) = 36 AND id = lower(id)),
  slug TEXT NOT NULL UNIQUE CHECK (length(slug) BETWEEN 1 AND 100 AND slug NOT GLOB '*[^a-z0-9-]*'),
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE playlist_tracks (
  playlist_no INTEGER NOT NULL REFERENCES playlists ON DELETE CASCADE,
  position INTEGER NOT NULL,
  track_no INTEGER NOT NULL REFERENCES tracks ON DELETE CASCADE,
  PRIMARY KEY (playlist_no, position),
  UNIQUE (playlist_no, track_no)
) STRICT, WITHOUT ROWID;
CREATE INDEX playlist_tracks_by_track ON playlist_tracks (track_no);

CREATE TABLE playlist_grants (
  playlist_no INTEGER NOT NULL REFERENCES playlists ON DELETE CASCADE,
  client_no INTEGER NOT NULL REFERENCES clients ON DELETE CASCADE,
  PRIMARY KEY (playlist_no, client_no)
) STRICT, WITHOUT ROWID;
CREATE INDEX playlist_grants_by_client ON playlist_grants (client_no);

CREATE TABLE signing_keys (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  purpose TEXT NOT NULL CHECK (purpose IN ('token', 'url')),
  secret BLOB NOT NULL CHECK (length(secret) = 32),
  created_at INTEGER NOT NULL,
  retired_at INTEGER
) STRICT;

CREATE TABLE licences (
  no INTEGER PRIMARY KEY,
  external_id TEXT NOT NULL UNIQUE,
  track_no INTEGER NOT NULL REFERENCES tracks ON DELETE CASCADE,
  mode TEXT NOT NULL CHECK (mode IN ('test', 'live')),
  licensed_at INTEGER NOT NULL,
  -- No reference: what was sold stays on record when the client is deleted.
  client_id TEXT
) STRICT;
CREATE INDEX licences_by_track ON licences (track_no);
-- Counting the most licensed reads this index alone.
CREATE INDEX licences_by_time ON licences (mode, licensed_at, track_no);

-- AUTOINCREMENT: a number is never given twice, even after the newest rows have gone.
CREATE TABLE change_log (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  entity TEXT NOT NULL CHECK (entity IN ('track', 'playlist', 'client', 'key', 'licence')),
  kind TEXT NOT NULL,
  entity_id TEXT NOT NULL,
  by TEXT NOT NULL,
  batch_id TEXT
) STRICT;
CREATE INDEX change_log_by_entity ON change_log (entity, seq);

CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;

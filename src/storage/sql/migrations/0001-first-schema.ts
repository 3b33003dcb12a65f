import type { Migration } from '../schema-dialect.ts';

/**
 * The first schema. `row_id` is a short number that identifies a row within the database, and other tables
 * refer to it. `id` is the public UUID, in lower case.
 */
export const firstSchema: Migration = {
  summary: 'the first schema',
  compatibleFrom: 10,
  common: (d) => {
    const id = `id ${d.text} NOT NULL UNIQUE CHECK (length(id) = 36 AND id = lower(id))`;
    const slug = `slug ${d.text} NOT NULL UNIQUE
    CHECK (length(slug) BETWEEN 1 AND 100 AND ${d.hasOnly('slug', 'a-z0-9-')})`;
    return `
-- One row for each name under which an artist is credited.
CREATE TABLE artists (
  -- Never reused, so that what was read by row id stays true.
  row_id ${d.neverReusedRowNumber},
  id ${d.text} NOT NULL,
  name ${d.text} NOT NULL,
  -- Of the delivery that created the row; the id is derived from it. Null if an undo created the row.
  external_id ${d.text}
) ${d.table};

CREATE TABLE filters (
  -- Never reused, so that what was read by row id stays true.
  row_id ${d.neverReusedRowNumber},
  -- Derived from the type and the slug of the name.
  ${id},
  ${slug},
  type ${d.text} NOT NULL CHECK (type IN ('genre', 'mood', 'use-case')),
  name ${d.text} NOT NULL
) ${d.table};

-- The next number of a slug series. Only a hint: without the row, allocating a slug takes longer and is still
-- unique.
CREATE TABLE slug_series (
  kind ${d.text} NOT NULL CHECK (kind IN ('track', 'playlist', 'filter')),
  base ${d.text} NOT NULL,
  next ${d.integer} NOT NULL CHECK (next > 2),
  PRIMARY KEY (kind, base)
) ${d.keyedTable};

CREATE TABLE clients (
  row_id ${d.rowNumber},
  id ${d.text} NOT NULL UNIQUE,
  name ${d.text} NOT NULL,
  scopes ${d.jsonArray('scopes')} NOT NULL,
  features ${d.jsonArray('features')} NOT NULL,
  rate_limit ${d.integer} CHECK (rate_limit > 0),
  enabled ${d.boolean('enabled')} NOT NULL,
  created_at ${d.integer} NOT NULL
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

CREATE TABLE playlists (
  row_id ${d.rowNumber},
  ${id},
  ${slug},
  name ${d.text} NOT NULL,
  description ${d.text} NOT NULL,
  created_at ${d.integer} NOT NULL,
  updated_at ${d.integer} NOT NULL
) ${d.table};

CREATE TABLE tracks (
  -- In PostgreSQL, the import writer assigns it, and knows it before the row is written.
  row_id ${d.integer} PRIMARY KEY,
  ${id},
  ${slug},
  -- A withdrawn track is stored as a taken-down one with a mark.
  state ${d.text} NOT NULL DEFAULT 'live' CHECK (state IN ('live', 'taken_down')),
  source ${d.text} NOT NULL,
  external_id ${d.text},
  name ${d.text} NOT NULL,
  type ${d.text} NOT NULL CHECK (type IN ('music', 'sfx')),
  -- As delivered; '' if unknown.
  bpm ${d.text} NOT NULL,
  song_keys ${d.jsonArray('song_keys')} NOT NULL,
  time_signature ${d.text} NOT NULL,
  duration_seconds ${d.integer} NOT NULL CHECK (duration_seconds >= 0),
  region ${d.text} NOT NULL,
  released_at ${d.integer} NOT NULL,
  has_vocals ${d.boolean('has_vocals')} NOT NULL,
  is_pro ${d.boolean('is_pro')} NOT NULL,
  tags ${d.jsonArray('tags')} NOT NULL,
  -- The credits in order, each as [row_id of the artist, role, isPrimary].
  artists ${d.jsonArray('artists')} NOT NULL,
  -- The row ids of the filters, in order.
  filters ${d.jsonArray('filters')} NOT NULL,
  isrc ${d.text} NOT NULL,
  audio_key ${d.text},
  artwork_key ${d.text},
  -- Of the last delivery that was written. An equal delivery changes nothing.
  fingerprint ${d.bytes} NOT NULL CHECK (length(fingerprint) = 16),
  created_at ${d.integer} NOT NULL,
  updated_at ${d.integer} NOT NULL,
  -- Whether a delivery may restore the taken-down track.
  withdrawn ${d.boolean('withdrawn')} NOT NULL DEFAULT ${d.false},
  -- The batch that changed the track last; null if that batch was deleted or there is none.
  batch_row_id ${d.integer}
) ${d.table};

CREATE TABLE playlist_tracks (
  playlist_row_id ${d.integer} NOT NULL REFERENCES playlists ON DELETE CASCADE,
  position ${d.integer} NOT NULL,
  track_row_id ${d.integer} NOT NULL REFERENCES tracks ON DELETE CASCADE,
  PRIMARY KEY (playlist_row_id, position),
  UNIQUE (playlist_row_id, track_row_id)
) ${d.keyedTable};
CREATE INDEX playlist_tracks_by_track ON playlist_tracks (track_row_id);

CREATE TABLE playlist_grants (
  playlist_row_id ${d.integer} NOT NULL REFERENCES playlists ON DELETE CASCADE,
  client_row_id ${d.integer} NOT NULL REFERENCES clients ON DELETE CASCADE,
  PRIMARY KEY (playlist_row_id, client_row_id)
) ${d.keyedTable};
CREATE INDEX playlist_grants_by_client ON playlist_grants (client_row_id);

CREATE TABLE signing_keys (
  row_id ${d.rowNumber},
  id ${d.text} NOT NULL UNIQUE,
  purpose ${d.text} NOT NULL CHECK (purpose IN ('token', 'url')),
  secret ${d.bytes} NOT NULL CHECK (length(secret) = 32),
  created_at ${d.integer} NOT NULL,
  retired_at ${d.integer}
) ${d.table};

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

CREATE TABLE import_batches (
  -- Never reused, because tracks may refer to batches that were deleted.
  row_id ${d.neverReusedRowNumber},
  id ${d.text} NOT NULL UNIQUE,
  at ${d.integer} NOT NULL,
  by ${d.text} NOT NULL,
  label ${d.text} NOT NULL,
  -- The changes of the batch in the change log are between these numbers, both included, among changes of
  -- others.
  first_seq ${d.integer} NOT NULL,
  last_seq ${d.integer} NOT NULL,
  created ${d.integer} NOT NULL DEFAULT 0,
  updated ${d.integer} NOT NULL DEFAULT 0,
  withdrawn ${d.integer} NOT NULL DEFAULT 0,
  restored ${d.integer} NOT NULL DEFAULT 0,
  -- The batch that this one undoes.
  undoes ${d.integer} UNIQUE
) ${d.table};

-- The values of a track before a batch changed it; none for tracks that the batch created. The table is not
-- clustered by its key, because rows are long and come in any order of tracks.
CREATE TABLE former_tracks (
  batch_row_id ${d.integer} NOT NULL,
  track_row_id ${d.integer} NOT NULL${d.bulkReference('tracks ON DELETE CASCADE')},
  -- The batch that had changed the track last before.
  former_batch_row_id ${d.integer},
  source ${d.text} NOT NULL,
  external_id ${d.text},
  audio_key ${d.text},
  artwork_key ${d.text},
  fingerprint ${d.bytes} NOT NULL,
  -- The track as the API shows it, without its URLs: a JSON object. Null if only the state was changed.
  document ${d.text},
  PRIMARY KEY (batch_row_id, track_row_id)
) ${d.table};
CREATE INDEX former_tracks_by_track ON former_tracks (track_row_id);

CREATE TABLE change_log (
  -- Never reused, even after the newest rows were deleted.
  seq ${d.logNumber},
  at ${d.integer} NOT NULL,
  entity ${d.text} NOT NULL,
  kind ${d.text} NOT NULL,
  entity_id ${d.text} NOT NULL,
  by ${d.text} NOT NULL,
  batch_id ${d.text}
) ${d.table};
CREATE INDEX change_log_by_entity ON change_log (entity, seq);

CREATE TABLE settings (
  name ${d.text} PRIMARY KEY,
  value ${d.text} NOT NULL
) ${d.keyedTable};

-- One row: the greatest row id of a removed track, so that row ids are never reused.
CREATE TABLE removed_numbers (greatest ${d.integer} NOT NULL) ${d.table};
INSERT INTO removed_numbers VALUES (0);

-- The holder of each task that only one node may do, and the time at which its lease expires.
CREATE TABLE leases (
  name ${d.text} PRIMARY KEY,
  holder ${d.text} NOT NULL,
  expires_at ${d.integer} NOT NULL
) ${d.keyedTable};
`;
  },
  sqlite: `
CREATE UNIQUE INDEX artists_by_name ON artists (id, name);
-- Pruning and removing a source read it in the order of row_id.
CREATE INDEX tracks_by_source ON tracks (source);
CREATE INDEX tracks_taken_down ON tracks (state) WHERE state = 'taken_down';

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
-- A long name does not fit into an entry of an index. The index is not unique, because two names may have one
-- hash; only the writer that holds the lock creates artists, and it looks for the name first.
CREATE INDEX artists_by_name ON artists (id, md5(name));
CREATE INDEX tracks_by_source ON tracks (source, row_id);
CREATE INDEX tracks_taken_down ON tracks (row_id) WHERE state = 'taken_down';

-- One row: the last assigned seq. Unlike a sequence, it is rolled back with its transaction, so the log has
-- no gaps. Removals of artists are counted, because the log does not record them, and writers remember
-- artists.
CREATE TABLE change_log_head (seq bigint NOT NULL, artist_removals bigint NOT NULL DEFAULT 0);
INSERT INTO change_log_head VALUES (0);

CREATE FUNCTION count_artist_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE change_log_head SET artist_removals = artist_removals + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER artists_removed AFTER DELETE ON artists
FOR EACH STATEMENT EXECUTE FUNCTION count_artist_removal();

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

-- The open imports. A crash of the server empties these tables, and also ends the imports.
CREATE UNLOGGED TABLE delivery_sessions (
  id text COLLATE "C" PRIMARY KEY,
  opened_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNLOGGED TABLE delivered_tracks (
  session_id text COLLATE "C" NOT NULL,
  track_row_id bigint NOT NULL,
  fingerprint bytea NOT NULL,
  -- The track comes first, because the table is searched by tracks, hundreds at a time.
  PRIMARY KEY (track_row_id, session_id)
);
-- Tracks that a preview would create.
CREATE UNLOGGED TABLE previewed_tracks (
  session_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,
  PRIMARY KEY (id, session_id)
);
-- Tracks whose records were rejected. A prune treats them as delivered.
CREATE UNLOGGED TABLE listed_tracks (
  session_id text COLLATE "C" NOT NULL,
  track_row_id bigint NOT NULL,
  PRIMARY KEY (track_row_id, session_id)
);
`,
};

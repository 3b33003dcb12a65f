import type { SchemaDialect, SchemaPart } from '../../schema.ts';

/** The public id of an entity. */
const publicId = ({ text }: SchemaDialect) =>
  `id ${text} NOT NULL UNIQUE CHECK (length(id) = 36 AND id = lower(id))`;

/** The slug of an entity. */
const publicSlug = ({ text, hasOnly }: SchemaDialect) =>
  `slug ${text} NOT NULL UNIQUE
    CHECK (length(slug) BETWEEN 1 AND 100 AND ${hasOnly('slug', 'a-z0-9-')})`;

/** Tracks, with the artists and filters that they refer to. */
export const catalog: SchemaPart = {
  common: (d) => `
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
  ${publicId(d)},
  ${publicSlug(d)},
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

CREATE TABLE tracks (
  -- In PostgreSQL, the import writer assigns it, and knows it before the row is written.
  row_id ${d.integer} PRIMARY KEY,
  ${publicId(d)},
  ${publicSlug(d)},
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
  -- '' if unknown.
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
  batch_row_id ${d.integer},
  -- Null if unknown.
  iswc ${d.text},
  -- The second at which the preview clip begins; null for the loudest passage.
  preview_start ${d.integer},
  -- An imported preview clip and waveform.
  preview_key ${d.text},
  waveform_key ${d.text},
  -- The language of the name and the tags; null for that of the catalog.
  language ${d.text},
  -- The entries as a JSON array; null if the track is always available everywhere.
  availability ${d.text},
  -- The codes of the countries in which the track is available now, with spaces between them; null if everywhere.
  available_in ${d.text},
  -- When that may change; null if never.
  next_switch_at ${d.integer},
  -- An unavailable track is stored as a withdrawn one with this mark.
  unavailable ${d.boolean('unavailable')} NOT NULL DEFAULT ${d.false}
) ${d.table};
-- Finds out whether a track names an audio file.
CREATE INDEX tracks_by_audio ON tracks (audio_key) WHERE audio_key IS NOT NULL;
CREATE INDEX tracks_language ON tracks (language) WHERE language IS NOT NULL AND state = 'live';
CREATE INDEX tracks_next_switch ON tracks (next_switch_at) WHERE next_switch_at IS NOT NULL;
-- Finds the unavailable tracks that a program without knowledge of the availability has made live.
CREATE INDEX tracks_misplaced ON tracks (state) WHERE unavailable AND state = 'live';
CREATE INDEX tracks_by_isrc ON tracks (isrc, row_id) WHERE isrc <> '';

-- One row: the greatest row id of a removed track, so that row ids are never reused.
CREATE TABLE removed_numbers (greatest ${d.integer} NOT NULL) ${d.table};
INSERT INTO removed_numbers VALUES (0);

-- The parties of which more is known than their credit.
CREATE TABLE track_writers (
  track_row_id ${d.integer} NOT NULL${d.bulkReference('tracks ON DELETE CASCADE')},
  position ${d.integer} NOT NULL,
  name ${d.text} NOT NULL,
  role ${d.text} NOT NULL,
  ipi ${d.text},
  society ${d.text},
  -- In hundredths of a percent.
  share ${d.integer} CHECK (share BETWEEN 0 AND 10000),
  PRIMARY KEY (track_row_id, position)
) ${d.keyedTable};

-- The stems and alternate versions.
CREATE TABLE track_parts (
  row_id ${d.rowNumber},
  id ${d.text} NOT NULL UNIQUE,
  track_row_id ${d.integer} NOT NULL${d.bulkReference('tracks ON DELETE CASCADE')},
  part ${d.text} NOT NULL CHECK (part IN ('stem', 'version')),
  kind ${d.text} NOT NULL,
  -- Null if it was delivered without one.
  name ${d.text},
  -- 0 if unknown.
  duration_seconds ${d.integer} NOT NULL CHECK (duration_seconds >= 0),
  audio_key ${d.text} NOT NULL,
  size_bytes ${d.integer} NOT NULL CHECK (size_bytes > 0),
  -- In the list, from 0 on.
  position ${d.integer} NOT NULL
) ${d.table};
CREATE INDEX track_parts_by_track ON track_parts (track_row_id, part, position);

-- The texts of tracks and filters in other languages.
CREATE TABLE track_texts (
  track_row_id ${d.integer} NOT NULL${d.bulkReference('tracks ON DELETE CASCADE')},
  language ${d.text} NOT NULL,
  name ${d.text} NOT NULL,
  -- A JSON array; null if the tags are not translated.
  tags ${d.text},
  PRIMARY KEY (track_row_id, language)
) ${d.keyedTable};
CREATE INDEX track_texts_language ON track_texts (language, track_row_id);

CREATE TABLE filter_texts (
  filter_row_id ${d.integer} NOT NULL REFERENCES filters ON DELETE CASCADE,
  language ${d.text} NOT NULL,
  name ${d.text} NOT NULL,
  PRIMARY KEY (filter_row_id, language)
) ${d.keyedTable};
`,
  sqlite: `
CREATE UNIQUE INDEX artists_by_name ON artists (id, name);
-- Pruning and removing a source read it in the order of row_id.
CREATE INDEX tracks_by_source ON tracks (source);
CREATE INDEX tracks_taken_down ON tracks (state) WHERE state = 'taken_down';
`,
  postgres: `
-- A long name does not fit into an entry of an index. The index is not unique, because two names may have one
-- hash; only the writer that holds the lock creates artists, and it looks for the name first.
CREATE INDEX artists_by_name ON artists (id, md5(name));
CREATE INDEX tracks_by_source ON tracks (source, row_id);
CREATE INDEX tracks_taken_down ON tracks (row_id) WHERE state = 'taken_down';

-- Removals of artists are counted, because the change log does not record them, and writers remember artists.
CREATE FUNCTION count_artist_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE change_log_head SET artist_removals = artist_removals + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER artists_removed AFTER DELETE ON artists
FOR EACH STATEMENT EXECUTE FUNCTION count_artist_removal();
`,
};

/** The playlists of the operator, and the collections and searches that clients keep. */
export const lists: SchemaPart = {
  common: (d) => `
CREATE TABLE playlists (
  row_id ${d.rowNumber},
  ${publicId(d)},
  ${publicSlug(d)},
  name ${d.text} NOT NULL,
  description ${d.text} NOT NULL,
  created_at ${d.integer} NOT NULL,
  updated_at ${d.integer} NOT NULL
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

-- The texts in other languages.
CREATE TABLE playlist_texts (
  playlist_row_id ${d.integer} NOT NULL REFERENCES playlists ON DELETE CASCADE,
  language ${d.text} NOT NULL,
  name ${d.text} NOT NULL,
  -- Null if the description is not translated.
  description ${d.text},
  PRIMARY KEY (playlist_row_id, language)
) ${d.keyedTable};

CREATE TABLE collections (
  row_id ${d.rowNumber},
  id ${d.text} NOT NULL UNIQUE,
  client_row_id ${d.integer} NOT NULL REFERENCES clients ON DELETE CASCADE,
  mode ${d.text} NOT NULL CHECK (mode IN ('test', 'live')),
  name ${d.text} NOT NULL,
  description ${d.text} NOT NULL,
  version ${d.integer} NOT NULL,
  created_at ${d.integer} NOT NULL,
  updated_at ${d.integer} NOT NULL
) ${d.table};
CREATE INDEX collections_by_client ON collections (client_row_id, mode, created_at);

CREATE TABLE collection_tracks (
  collection_row_id ${d.integer} NOT NULL REFERENCES collections ON DELETE CASCADE,
  -- Ascends along the list, with gaps.
  position ${d.integer} NOT NULL,
  track_row_id ${d.integer} NOT NULL REFERENCES tracks ON DELETE CASCADE,
  note ${d.text} NOT NULL,
  added_at ${d.integer} NOT NULL,
  PRIMARY KEY (collection_row_id, position),
  UNIQUE (collection_row_id, track_row_id)
) ${d.keyedTable};
CREATE INDEX collection_tracks_by_track ON collection_tracks (track_row_id);

CREATE TABLE collection_shares (
  collection_row_id ${d.integer} NOT NULL REFERENCES collections ON DELETE CASCADE,
  client_row_id ${d.integer} NOT NULL REFERENCES clients ON DELETE CASCADE,
  PRIMARY KEY (collection_row_id, client_row_id)
) ${d.keyedTable};
CREATE INDEX collection_shares_by_client ON collection_shares (client_row_id);

CREATE TABLE saved_searches (
  row_id ${d.rowNumber},
  id ${d.text} NOT NULL UNIQUE,
  client_row_id ${d.integer} NOT NULL REFERENCES clients ON DELETE CASCADE,
  mode ${d.text} NOT NULL CHECK (mode IN ('test', 'live')),
  name ${d.text} NOT NULL,
  -- The name without differences of case.
  folded_name ${d.text} NOT NULL,
  -- JSON, as the client sent it.
  query ${d.text} NOT NULL,
  notify ${d.boolean('notify')} NOT NULL,
  -- Tracks with a greater row id are new.
  seen_row_id ${d.integer} NOT NULL,
  seen_at ${d.integer} NOT NULL,
  -- Tracks with a greater row id are in no message yet.
  notified_row_id ${d.integer} NOT NULL,
  version ${d.integer} NOT NULL,
  created_at ${d.integer} NOT NULL,
  updated_at ${d.integer} NOT NULL,
  -- The position of the log when the search was created; null if that is unknown.
  created_seq ${d.integer},
  -- The time of the last message.
  notified_at ${d.integer},
  UNIQUE (client_row_id, mode, folded_name)
) ${d.table};
CREATE INDEX saved_searches_by_notify ON saved_searches (notify);
`,
};

/** The rows of some indexes, in the words of their conditions: only a query with the same words uses them. */
export const TAKEDOWNS = `entity = 'track' AND kind IN ('taken_down', 'withdrawn')`;
export const CREATIONS = `entity = 'track' AND kind = 'created'`;
export const NEW_COLLECTIONS = `entity = 'collection' AND kind = 'created'`;

/** The change log, and how much of it has expired. */
export const changeLog: SchemaPart = {
  common: (d) => `
CREATE TABLE change_log (
  -- Never reused, even after the newest rows were deleted.
  seq ${d.logNumber},
  at ${d.integer} NOT NULL,
  entity ${d.text} NOT NULL,
  kind ${d.text} NOT NULL,
  entity_id ${d.text} NOT NULL,
  by ${d.text} NOT NULL,
  batch_id ${d.text},
  -- The client that caused the change, and the mode in which it did; null if none did.
  client_id ${d.text},
  mode ${d.text},
  -- What of the entity changed: a JSON array.
  changed ${d.text},
  -- Why the operator made the change, and what the reason refers to, such as the number of a letter.
  reason ${d.text},
  reference ${d.text}
) ${d.table};
CREATE INDEX change_log_by_entity ON change_log (entity, seq);
-- Finds the first change at or after a time, which never decreases along the log.
CREATE INDEX change_log_by_time ON change_log (at);
-- Finds when a track was taken down, which is shown to the partners that refer to it.
CREATE INDEX change_log_of_takedowns ON change_log (entity_id, seq) WHERE ${TAKEDOWNS};

-- One row: the greatest seq of a track that has expired, and its time; 0 before the first.
CREATE TABLE change_log_floor (seq ${d.integer} NOT NULL, at ${d.integer} NOT NULL) ${d.table};
INSERT INTO change_log_floor VALUES (0, 0);
`,
  // The first index finds the last track that was created up to a change, however many tracks were edited since. The
  // second one finds where the chains of collections begin. SQLite prefers an index of more columns, and PostgreSQL the
  // smallest one.
  sqlite: `
CREATE INDEX change_log_of_creations ON change_log (kind, seq) WHERE ${CREATIONS};
CREATE INDEX change_log_of_new_collections ON change_log (kind, entity_id, seq) WHERE ${NEW_COLLECTIONS};
`,
  postgres: `
CREATE INDEX change_log_of_creations ON change_log (seq) WHERE ${CREATIONS};
CREATE INDEX change_log_of_new_collections ON change_log (entity_id, seq) WHERE ${NEW_COLLECTIONS};

-- One row: the last assigned seq. Unlike a sequence, it is rolled back with its transaction, so the log has
-- no gaps.
CREATE TABLE change_log_head (seq bigint NOT NULL, artist_removals bigint NOT NULL DEFAULT 0);
INSERT INTO change_log_head VALUES (0);
`,
};

/** The batches of changes, what undoing them needs, the messages of suppliers, and the open imports. */
export const imports: SchemaPart = {
  common: (d) => `
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
-- clustered by its key, because rows are long and come in any order of tracks. An undo leaves what the row does not know.
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
  -- '' if it was unknown; null if the row does not know it.
  iswc ${d.text},
  -- The rows of track_writers as a JSON array; null if the batch did not change them.
  writers ${d.text},
  -- -1 if there was none; null if the row knows neither it nor the two keys.
  preview_start ${d.integer},
  preview_key ${d.text},
  waveform_key ${d.text},
  -- The rows of track_parts as JSON arrays; null if the batch did not change the list.
  stems ${d.text},
  versions ${d.text},
  -- '' if it was that of the catalog; null if the row does not know it.
  language ${d.text},
  -- The rows of track_texts as a JSON array; null if the batch did not change them.
  translations ${d.text},
  -- '' if there was none; null if the row does not know it.
  availability ${d.text},
  -- The state of the track; null if the row does not know it.
  state ${d.text},
  PRIMARY KEY (batch_row_id, track_row_id)
) ${d.table};
CREATE INDEX former_tracks_by_track ON former_tracks (track_row_id);
-- Finds out whether the former content of a track names an audio file.
CREATE INDEX former_tracks_by_audio ON former_tracks (audio_key) WHERE audio_key IS NOT NULL;
CREATE INDEX former_tracks_with_parts ON former_tracks (batch_row_id, track_row_id)
  WHERE stems IS NOT NULL OR versions IS NOT NULL;

-- The messages of suppliers that decided about tracks.
CREATE TABLE track_messages (
  -- Not a reference, because a takedown of a track that was never imported is recorded, too.
  track_id ${d.text} NOT NULL,
  -- A derived id; '' if the message names no release.
  release ${d.text} NOT NULL,
  sent_at ${d.integer} NOT NULL,
  PRIMARY KEY (track_id, release)
) ${d.keyedTable};
CREATE INDEX track_messages_by_release ON track_messages (release, track_id);
`,
  postgres: `
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

/** Settings of the store, and the nodes that use it. */
export const nodes: SchemaPart = {
  common: (d) => `
CREATE TABLE settings (
  name ${d.text} PRIMARY KEY,
  value ${d.text} NOT NULL
) ${d.keyedTable};

-- The holder of each task that only one node may do, and the time at which its lease expires.
CREATE TABLE leases (
  name ${d.text} PRIMARY KEY,
  holder ${d.text} NOT NULL,
  expires_at ${d.integer} NOT NULL
) ${d.keyedTable};

CREATE TABLE nodes (
  node ${d.text} NOT NULL PRIMARY KEY,
  host ${d.text} NOT NULL,
  pid ${d.integer} NOT NULL,
  version ${d.text} NOT NULL,
  data_folder ${d.text} NOT NULL,
  -- By the clock of the database.
  seen_at ${d.integer} NOT NULL,
  -- The same moment by the clock of the node.
  clock_at ${d.integer} NOT NULL
) ${d.keyedTable};
`,
};

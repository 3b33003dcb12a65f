import type { SchemaDialect, SchemaPart } from '../../schema-dialect.ts';

/** The public id of an entity. */
export const publicId = ({ text }: SchemaDialect) =>
  `id ${text} NOT NULL UNIQUE CHECK (length(id) = 36 AND id = lower(id))`;

/** The slug of an entity. */
export const publicSlug = ({ text, hasOnly }: SchemaDialect) =>
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

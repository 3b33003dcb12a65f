import type { SchemaPart } from '../../schema-dialect.ts';

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

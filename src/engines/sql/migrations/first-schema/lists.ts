import type { SchemaPart } from '../../schema-dialect.ts';
import { publicId, publicSlug } from './catalog.ts';

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

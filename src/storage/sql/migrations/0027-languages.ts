import type { Migration } from '../schema-dialect.ts';

/** The texts of tracks, filters and playlists in other languages. Nodes of the version before leave them as they are. */
export const languages: Migration = {
  summary: 'texts in other languages',
  compatibleFrom: 10,
  common: (d) => `
-- The language of the name and the tags; null for that of the catalog.
ALTER TABLE tracks ADD COLUMN language ${d.text};
CREATE INDEX tracks_language ON tracks (language) WHERE language IS NOT NULL AND state = 'live';
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
CREATE TABLE playlist_texts (
  playlist_row_id ${d.integer} NOT NULL REFERENCES playlists ON DELETE CASCADE,
  language ${d.text} NOT NULL,
  name ${d.text} NOT NULL,
  -- Null if the description is not translated.
  description ${d.text},
  PRIMARY KEY (playlist_row_id, language)
) ${d.keyedTable};
-- '' if it was that of the catalog. Null in rows of the version before, which does not know it.
ALTER TABLE former_tracks ADD COLUMN language ${d.text};
-- The rows of track_texts as a JSON array; null if the batch did not change them.
ALTER TABLE former_tracks ADD COLUMN translations ${d.text};
`,
};

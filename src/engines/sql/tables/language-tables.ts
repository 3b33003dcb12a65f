import { integer, table, text, textOrNull } from './table-declaration.ts';

/** The tables of translations of tracks and filters. */
export const TRACK_LANGUAGE_TABLES = {
  trackTexts: table(2, { trackRowId: integer, language: text, name: text, tags: textOrNull }),
  filterTexts: table(2, { filterRowId: integer, language: text, name: text }),
} as const;

/** The table of translations of playlists. */
export const PLAYLIST_LANGUAGE_TABLES = {
  playlistTexts: table(2, {
    playlistRowId: integer,
    language: text,
    name: text,
    description: textOrNull,
  }),
} as const;

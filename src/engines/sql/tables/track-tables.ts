import type { Mode } from '../../../common/caller.ts';
import type { PartWord } from '../../../features/catalog/track-parts.ts';
import {
  boolean,
  integer,
  integerByDefault,
  integerOrNull,
  table,
  text,
  textOf,
  textOrNull,
} from './table-declaration.ts';

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

/** The tables of the parts of tracks, and of the messages about them. */
export const PART_TABLES = {
  trackParts: table(1, {
    rowId: integerByDefault,
    id: text,
    trackRowId: integer,
    part: textOf<PartWord>(),
    kind: text,
    name: textOrNull,
    durationSeconds: integer,
    audioKey: text,
    sizeBytes: integer,
    position: integer,
  }),
  trackMessages: table(2, { trackId: text, release: text, sentAt: integer }),
} as const;

export const SAVED_SEARCH_TABLES = {
  savedSearches: table(1, {
    rowId: integerByDefault,
    id: text,
    clientRowId: integer,
    mode: textOf<Mode>(),
    name: text,
    foldedName: text,
    query: text,
    notify: boolean,
    seenRowId: integer,
    seenAt: integer,
    notifiedRowId: integer,
    version: integer,
    createdAt: integer,
    updatedAt: integer,
    createdSeq: integerOrNull,
    notifiedAt: integerOrNull,
  }),
} as const;

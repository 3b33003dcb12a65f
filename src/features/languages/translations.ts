import { StaveError } from '../../common/errors.ts';
import { didYouMean } from '../../common/text/explain.ts';

export interface TrackText {
  /** A canonical tag. */
  language: string;
  name: string;
  /** Null if the tags are not translated. */
  tags: readonly string[] | null;
}

/** What the localized form of a track needs besides its document. */
export interface TrackTexts {
  /** The language of the texts of the record; null for that of the catalog. */
  language: string | null;
  /** The requested texts, in any order. */
  texts: readonly TrackText[];
}

/** The name of a filter in one language; null removes it. */
export interface FilterTranslation {
  /** The slug or the id of the filter. */
  filter: string;
  language: string;
  name: string | null;
}

/** The greatest number of names that one transaction sets, because it holds the write lock. */
export const MAX_TRANSLATED_FILTERS = 1_000;

export interface FilterName {
  filterId: string;
  language: string;
  name: string;
}

export interface PlaylistText {
  language: string;
  name: string;
  /** Null if the description is not translated. */
  description: string | null;
}

/** The numbers of live tracks, filters and playlists that have a text in a language. */
export interface LanguageCount {
  language: string;
  tracks: number;
  filters: number;
  playlists: number;
}

/** The entry of `changed` in the change log for an updated track, playlist or filter whose translations changed. */
export const TRANSLATIONS = 'translations';

/** @param slugs those of all playlists, to suggest one */
export function unknownPlaylist(slugOrId: string, slugs: readonly string[] = []): StaveError {
  const hint = didYouMean(slugOrId, slugs);
  return new StaveError('not_found', `There is no playlist ${slugOrId}${hint}.`);
}

/** @param slugs those of all filters, to suggest one */
export function unknownFilter(slugOrId: string, slugs: readonly string[]): StaveError {
  const hint = didYouMean(slugOrId, slugs);
  return new StaveError('not_found', `There is no filter ${slugOrId}${hint}.`);
}

/** Returns the texts in the order in which they are stored and compared: by the tag of the language. */
export function orderedTexts(texts: readonly TrackText[]): TrackText[] {
  return [...texts].sort((a, b) => (a.language < b.language ? -1 : 1));
}

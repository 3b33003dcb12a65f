import type { ClientMode } from '../../common/caller.ts';
import { StaveError } from '../../common/errors.ts';

/** The most saved searches of a client in one mode. */
export const MAX_SAVED_SEARCHES = 100;

/** A search that a client keeps. Times are in milliseconds since the epoch. */
export interface SavedSearch {
  /** UUID version 7. */
  id: string;
  name: string;
  /** JSON, as the client sent it: the body of POST /v1/search without page, pageSize and facets. */
  query: string;
  /** Whether the client gets a message for new tracks. */
  notify: boolean;
  /** Tracks with a greater row id are new. */
  seenRowId: number;
  seenAt: number;
  /** Counts the edits, from 1. */
  version: number;
  createdAt: number;
  updatedAt: number;
}

export interface SavedSearchRecord extends SavedSearch, ClientMode {}

export type SavedSearchContent = Pick<SavedSearch, 'name' | 'query' | 'notify'>;

export interface SavedSearchCounts {
  totalRecords: number;
  newCount: number;
}

/** See docs/contract/saved-searches.md#saved-search. */
export function shownSavedSearch(saved: SavedSearch, counts?: SavedSearchCounts) {
  const { id, name, query, notify, seenAt, version, createdAt, updatedAt } = saved;
  return {
    id,
    name,
    search: JSON.parse(query) as unknown,
    notify,
    ...counts,
    seenAt: new Date(seenAt).toISOString(),
    version,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
}

/** Two names with the same result differ only in case and in Unicode form. */
export function foldedName(name: string): string {
  // ẞ, ß and the final sigma need both conversions.
  return name.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}

export function unknownSavedSearch(): StaveError {
  return new StaveError('not_found', 'You have no saved search with this id.');
}

export function nameTaken(): StaveError {
  return new StaveError('conflict', 'You have a saved search with this name; choose another name.');
}

import type { By, ClientMode } from '../../common/caller.ts';
import { StaveError } from '../../common/errors.ts';
import { type GivenItem, repetition } from '../catalog/given-items.ts';

/** The most collections of a client in one mode. */
export const MAX_COLLECTIONS = 500;
/** The most tracks of a collection, with those that were taken down. */
export const MAX_COLLECTION_TRACKS = 10_000;

/** A list of tracks that a client keeps. Times are in milliseconds since the epoch. */
export interface Collection {
  /** UUID version 7. */
  id: string;
  name: string;
  description: string;
  /** Counts the edits, from 1. Takedowns of tracks and shares do not count. */
  version: number;
  createdAt: number;
  updatedAt: number;
}

/** A collection as one of its users sees it. */
export interface CollectionSummary extends Collection {
  /** The live tracks, and the sum of their seconds. */
  trackCount: number;
  durationSeconds: number;
  /** The tracks that were taken down. They keep their place. */
  unavailableCount: number;
  isOwner: boolean;
  /** The number of clients that can read it; 0 for those clients themselves. */
  sharedWith: number;
  by: By;
}

export interface CollectionRecord extends CollectionSummary, ClientMode {}

export type CollectionItem = {
  trackRowId: number;
  note: string;
  /** Who wrote the note, in its stored form; null without a note, or for the client itself. */
  noteBy: string | null;
  addedAt: number;
};

/** What an addition did. `added` and `alreadyPresent` are ids, `notFound` is as sent. */
export interface Addition {
  added: string[];
  alreadyPresent: string[];
  notFound: string[];
  version: number;
}

/** What a removal did. `removed` are ids, `notPresent` is as sent. */
export interface Removal {
  removed: string[];
  notPresent: string[];
  version: number;
}

export interface CollectionShare {
  clientId: string;
  /** Null for a client that has left the account, whose name is no concern of the owner. */
  name: string | null;
  /** Whether the share counts: owner and client are in one account. */
  canRead: boolean;
}

/** Returns a collection as it is shown to partners and operators, as JSON (docs/contract/collections.md#collection). */
export function shownCollection({ isOwner, createdAt, updatedAt, ...rest }: CollectionSummary) {
  const { id, name, description, trackCount, unavailableCount, durationSeconds, ...others } = rest;
  return {
    id,
    name,
    description,
    trackCount,
    unavailableCount,
    durationSeconds,
    owner: isOwner,
    sharedWith: others.sharedWith,
    by: others.by,
    version: others.version,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
}

export function unknownCollection(): StaveError {
  return new StaveError('not_found', 'You have no collection with this id.');
}

export function unknownShare(): StaveError {
  return new StaveError('not_found', 'The collection is not shared with this client.');
}

export function repeatedTracks(items: readonly GivenItem[]): StaveError {
  const details = items.slice(0, 50).map(repetition);
  return new StaveError('invalid_request', 'A collection holds each track once.', { details });
}

export function tooManyTracks(): StaveError {
  return new StaveError(
    'conflict',
    `A collection holds ${MAX_COLLECTION_TRACKS} tracks at most, with those that were taken down; remove some first.`,
  );
}

/** Throws `invalid_request` for a position after the end of a list of positions from 1. */
export function refuseAfterEnd(position: number, end: number): void {
  if (position <= end) return;
  throw new StaveError('invalid_request', 'The position is after the end of the list.', {
    details: [{ field: 'position', message: `position must be from 1 to ${end}` }],
  });
}

export function sharedWithOwner(): StaveError {
  return new StaveError('invalid_request', 'A collection is not shared with its owner.', {
    details: [{ field: 'clientId', message: 'clientId must be another client' }],
  });
}

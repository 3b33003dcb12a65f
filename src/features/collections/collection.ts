import type { Mode, RequireVersion, WriteContext } from '../../common/caller.ts';
import { StaveError } from '../../common/errors.ts';
import { type GivenItem, repetition } from '../catalog/given-items.ts';

/** The most collections of a client in one mode. */
export const MAX_COLLECTIONS = 500;
/** The most tracks of a collection, with those that were taken down. */
export const MAX_COLLECTION_TRACKS = 10_000;

/** Whose collections: a client, in one mode. */
export interface CollectionUser {
  clientId: string;
  mode: Mode;
}

/** A list of tracks that a client keeps. Times are in milliseconds since the epoch. */
interface Collection {
  /** UUID version 7. */
  id: string;
  name: string;
  description: string;
  /** Counts the edits, from 1. A takedown of a track or a share is none. */
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
}

/** A collection as the operator sees it. */
export interface CollectionRecord extends CollectionSummary, CollectionUser {}

/** A place of a collection. */
export interface CollectionItem {
  trackRowId: number;
  note: string;
  addedAt: number;
}

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

/** A share of a collection with another client. */
export interface CollectionShare {
  clientId: string;
  /** Null for a client that has left the account, whose name is no concern of the owner. */
  name: string | null;
  /** Whether the share counts: owner and client are in one account. */
  canRead: boolean;
}

/**
 * The collections of clients (docs/contract/collections.md). The owner of a collection and the clients with whom it is
 * shared read it; only the owner changes it. A collection that a client may not read or change is `not_found`, as an
 * unknown one. Ids are in lower case. Every change is in the change log.
 */
export interface CollectionStore {
  /**
   * Creates a collection. Throws `not_found` for tracks that are unknown or not live, `invalid_request` for repeated
   * ones, and `conflict` if the client has MAX_COLLECTIONS.
   */
  create(
    collection: Pick<Collection, 'id' | 'name' | 'description'> & { items: readonly GivenItem[] },
    context: WriteContext<CollectionSummary>,
  ): Promise<CollectionSummary>;
  /** A page of the own collections (`shared` false), of those of others (true) or of both; newest first. */
  list(
    user: CollectionUser,
    request: { shared?: boolean | undefined; offset: number; limit: number },
  ): Promise<{ collections: CollectionSummary[]; total: number }>;
  find(id: string, user: CollectionUser): Promise<CollectionSummary>;
  /** Changes the given members. */
  update(
    id: string,
    change: { name?: string; description?: string },
    requireVersion: RequireVersion,
    context: WriteContext<CollectionSummary>,
  ): Promise<CollectionSummary>;
  delete(id: string, requireVersion: RequireVersion, context: WriteContext<void>): Promise<void>;
  /**
   * Lets another client of the same account read a collection. Throws `not_found` if there is no such client, and
   * `invalid_request` for the caller itself, whether there is the collection or not.
   */
  share(id: string, clientId: string, context: WriteContext<void>): Promise<void>;
  /** Ends a share, also with a client that has left the account. Throws `not_found` if there is none. */
  unshare(id: string, clientId: string, context: WriteContext<void>): Promise<void>;
  /** The shares of a collection: those that count by name and then by id, then the others by id. Only for the owner. */
  shares(id: string, user: CollectionUser): Promise<CollectionShare[]>;
  /** The collections of a client in both modes, newest first. Throws `not_found` for an unknown client. */
  ofClient(clientId: string): Promise<CollectionRecord[]>;
  /** A collection with its tracks in order, for the operator. `position` is null for tracks that were taken down. */
  record(id: string): Promise<
    CollectionRecord & {
      tracks: { position: number | null; trackId: string; note: string; addedAt: number }[];
    }
  >;
}

/**
 * The tracks of collections, which are found and logged as by `CollectionStore`. Only the owner of a collection changes
 * them, one change after another.
 */
export interface CollectionTrackStore {
  /** The ids of the tracks in order, also of those that were taken down. */
  trackIds(id: string, user: CollectionUser): Promise<string[]>;
  /** The places of some tracks, in any order. Tracks that are not in the collection are left out. */
  items(
    id: string,
    user: CollectionUser,
    trackRowIds: readonly number[],
  ): Promise<(CollectionItem & { trackId: string })[]>;
  /**
   * Adds tracks, at the end or so that the first gets this position among the live tracks, from 1. Throws
   * `invalid_request` for a position after the place behind the last, and then `conflict` above MAX_COLLECTION_TRACKS.
   */
  add(
    id: string,
    request: { items: readonly GivenItem[]; position?: number | undefined },
    context: WriteContext<Addition>,
  ): Promise<Addition>;
  /** Removes tracks, by slug or id; those that were taken down by id. */
  remove(id: string, tracks: readonly string[], context: WriteContext<Removal>): Promise<Removal>;
  /**
   * Replaces the live tracks. Those that were taken down stay, behind the last. Throws as `create`, and `conflict` above
   * MAX_COLLECTION_TRACKS.
   */
  replace(
    id: string,
    items: readonly GivenItem[],
    requireVersion: RequireVersion,
    context: WriteContext<CollectionSummary>,
  ): Promise<CollectionSummary>;
  /**
   * Changes the note or the position of a live track, which its id names. Throws `not_found` if the track is not in the collection, and then
   * `invalid_request` for a position after the end, before the version is compared.
   */
  editItem(
    id: string,
    trackId: string,
    change: { note?: string | undefined; position?: number | undefined },
    requireVersion: RequireVersion,
    context: WriteContext<CollectionSummary>,
  ): Promise<CollectionSummary>;
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
    version: others.version,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
}

/** The error for a collection that does not exist for the caller. */
export function unknownCollection(): StaveError {
  return new StaveError('not_found', 'You have no collection with this id.');
}

/** The error for a client with whom a collection is not shared. */
export function unknownShare(): StaveError {
  return new StaveError('not_found', 'The collection is not shared with this client.');
}

/** The error for tracks that are named more than once. */
export function repeatedTracks(items: readonly GivenItem[]): StaveError {
  const details = items.slice(0, 50).map(repetition);
  return new StaveError('invalid_request', 'A collection holds each track once.', { details });
}

/** The error for a list that would get too long. */
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

/** The error for a share of a collection with its owner. */
export function sharedWithOwner(): StaveError {
  return new StaveError('invalid_request', 'A collection is not shared with its owner.', {
    details: [{ field: 'clientId', message: 'clientId must be another client' }],
  });
}

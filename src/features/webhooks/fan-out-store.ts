import type { Mode } from '../../common/caller/scopes.ts';
import type { LogPosition } from '../../engines/change-log/cursor.ts';
import type { EventType } from './webhook.ts';

/** Where the messages of a type to an endpoint begin and end. */
export interface Chain {
  /** Only changes after this one are sent. */
  startSeq: number;
  /** Tracks with a greater row id were created after `startSeq`. */
  startRowId: number;
  /** The change of the last message; before the first one, what that names as the one before. */
  seq: number;
}

/** Changes that wait for the next message of their chain. */
export interface HeldChanges {
  fromSeq: number;
  seq: number;
  /** The time of the last one, in milliseconds since the epoch. */
  at: number;
  count: number;
  /** The batch of all of them; absent if they have different ones. */
  batchId?: string | null | undefined;
  /** The members of `data` that show the last one. */
  members: object;
}

/** A chain with changes that wait. */
export interface HeldChain extends Pick<Chain, 'seq'> {
  type: EventType;
  subject: string;
  held: HeldChanges;
}

/** The pending messages of a type to an endpoint that report changes. Times are in milliseconds since the epoch. */
export interface PendingMessages {
  /** The number of changes that they report. */
  count: number;
  /** When the first and the last one became pending: they were created, or replayed. */
  oldestAt: number;
  newestAt: number;
}

/** An endpoint that gets messages now: it and its client are enabled. */
export interface Subscriber {
  rowId: number;
  clientId: string;
  mode: Mode;
  referencedOnly: boolean;
  /** Whether the client can read the feed of changes. */
  hasFeed: boolean;
  /** Up to this change, its messages are made. */
  position: number;
  /** The chains of the types that it gets. */
  chains: ReadonlyMap<EventType, Chain>;
  /** The chains of these types with changes that wait. */
  held: readonly HeldChain[];
  /** The time of its last success, in milliseconds since the epoch; null if there was none. */
  lastSuccessAt: number | null;
  /** The pending messages, by type. */
  pending: ReadonlyMap<EventType, PendingMessages>;
}

/** Names a chain of an endpoint. */
interface ChainName {
  subscriber: Subscriber;
  type: EventType;
  /** What has a chain of its own within the type, such as a collection; '' if the type is the chain. */
  subject: string;
  /** The change of the message before. */
  previousSeq: number;
}

/** A message to store. */
export interface NewMessage extends ChainName {
  id: string;
  fromSeq: number;
  seq: number;
  count: number;
  body: string;
}

/** Changes to store that wait for the next message. */
interface NewlyHeld extends ChainName {
  held: HeldChanges;
}

/** What continues a chain. */
export type ChainStep = NewMessage | NewlyHeld;

/** How often a client refers to a track. */
export interface TrackReference {
  trackId: string;
  clientId: string;
  /** Null if it refers to it in both modes. */
  mode: Mode | null;
  kind: 'playlists' | 'collections' | 'licenses';
  count: number;
}

/** A collection with all clients that can read it, its owner included. */
export interface CollectionUsers {
  id: string;
  mode: Mode;
  version: number;
  ownerId: string;
  clientIds: string[];
}

/** A license, as messages show it. */
export interface SentLicense {
  number: string;
  /** Whether it starts after its issue. */
  isScheduled: boolean;
  /** In the order of the license. */
  trackIds: string[];
}

/**
 * What turns changes into messages needs of the store. One node at a time uses it. Each call works in short
 * transactions.
 */
export interface FanOutStore {
  /** Up to where changes have become messages; undefined before the first time. */
  position(): Promise<LogPosition | undefined>;
  /**
   * Begins at a position of a new history of the log: discards all pending messages, and begins all chains there. If that
   * is interrupted, the position stays, and this is to be called again. The first time, begins where the first endpoint
   * was created.
   */
  begin(position: LogPosition, signal?: AbortSignal): Promise<void>;
  /** The endpoints that get messages now. */
  subscribers(): Promise<Subscriber[]>;
  /** The last messages of chains with a subject: of the endpoint, type and subject. */
  subjectChains(
    keys: readonly { webhookRowId: number; type: EventType; subject: string }[],
  ): Promise<(number | undefined)[]>;
  /**
   * Stores the steps of the chains of endpoints, which are then made up to a change. Leaves out steps whose chain has
   * begun anew, or has ended, since it was read. Leaves out endpoints that were disabled, or whose messages were made or
   * chains continued, since they were read. Returns whether it left out no endpoint, and the position is still the given one.
   */
  append(
    from: LogPosition,
    to: number,
    endpoints: readonly { subscriber: Subscriber; steps: readonly ChainStep[] }[],
  ): Promise<boolean>;
  /** Moves the position of all endpoints. Returns false, and does nothing, if it is not `from`. */
  move(from: LogPosition, to: number): Promise<boolean>;
  /** How often clients refer to tracks. */
  references(trackIds: readonly string[]): Promise<TrackReference[]>;
  /** The licenses with these numbers, by number. */
  licenses(numbers: readonly string[]): Promise<Map<string, SentLicense>>;
  /** The clients with grants of playlists, by the id of the playlist. */
  grants(playlistIds: readonly string[]): Promise<Map<string, string[]>>;
  /** Those collections that exist. */
  collections(ids: readonly string[]): Promise<Map<string, CollectionUsers>>;
  /** The accounts of those clients that exist, by the id of the client; null for one of its own. */
  accounts(clientIds: readonly string[]): Promise<Map<string, string | null>>;
  /** The changes that created collections, by the id of the collection, if the log still has them. */
  collectionCreations(ids: readonly string[]): Promise<Map<string, number>>;
  /** The ids of the collections that contain tracks, by the id of the track. */
  collectionsWith(trackIds: readonly string[]): Promise<Map<string, string[]>>;
  /**
   * Forgets the chains of collections that were deleted, once all their messages are made. Works in short transactions.
   * @param signal ends this soon
   */
  forgetEndedChains(signal?: AbortSignal): Promise<void>;
}

import type { Mode } from '../../access/client.ts';
import type { LogPosition } from '../cursor.ts';
import type { EventType } from './webhook.ts';

/** Where the messages of a type to an endpoint begin and end. */
export interface Chain {
  /** Only changes after this one are sent. */
  startSeq: number;
  /** The change of the last message; before the first one, what that names as the one before. */
  seq: number;
}

/** An endpoint that gets messages now: it and its client are enabled. */
export interface Subscriber {
  rowId: number;
  clientId: string;
  mode: Mode;
  referencedOnly: boolean;
  /** Whether the client can read the feed of changes. */
  hasFeed: boolean;
  /** The chains of the types that it gets. */
  chains: ReadonlyMap<EventType, Chain>;
  /** The number of changes in pending messages, by type. */
  undelivered: ReadonlyMap<EventType, number>;
}

/** A message to store. */
export interface NewMessage {
  subscriber: Subscriber;
  id: string;
  type: EventType;
  /** What has a chain of its own within the type, such as a collection; '' if the type is the chain. */
  subject: string;
  fromSeq: number;
  seq: number;
  previousSeq: number;
  count: number;
  body: string;
}

/** How often a client refers to a track. */
export interface TrackReference {
  trackId: string;
  clientId: string;
  /** Null if it refers to it in both modes. */
  mode: Mode | null;
  kind: 'playlists' | 'collections';
  count: number;
}

/** A collection with all clients that can read it, its owner included. */
export interface CollectionUsers {
  id: string;
  mode: Mode;
  version: number;
  clientIds: string[];
}

/** What turns changes into messages needs of the store. One node at a time uses it. */
export interface FanOutStore {
  /** Up to where changes have become messages; undefined before the first time. */
  position(): Promise<LogPosition | undefined>;
  /**
   * Begins at a position of a new history of the log: discards all pending messages, and begins all chains there. The
   * first time, begins where the first endpoint was created.
   */
  begin(position: LogPosition): Promise<void>;
  /** The endpoints that get messages now. */
  subscribers(): Promise<Subscriber[]>;
  /** The last messages of chains with a subject: of the endpoint, type and subject. */
  subjectChains(
    keys: readonly { webhookRowId: number; type: EventType; subject: string }[],
  ): Promise<(number | undefined)[]>;
  /**
   * Moves the position and stores the messages, all or nothing. Leaves out messages whose chain has begun anew, or has
   * ended, since it was read. Returns false, and does nothing, if the position is not `from`.
   */
  append(from: LogPosition, to: number, messages: readonly NewMessage[]): Promise<boolean>;
  /** How often clients refer to tracks. */
  references(trackIds: readonly string[]): Promise<TrackReference[]>;
  /** The clients with grants of playlists, by the id of the playlist. */
  grants(playlistIds: readonly string[]): Promise<Map<string, string[]>>;
  /** Those collections that exist. */
  collections(ids: readonly string[]): Promise<Map<string, CollectionUsers>>;
  /** The ids of the collections that contain tracks, by the id of the track. */
  collectionsWith(trackIds: readonly string[]): Promise<Map<string, string[]>>;
}

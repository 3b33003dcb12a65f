import type { SerializedError } from '../../../common/threads/serialized-error.ts';
import type { Targets } from '../../../engines/net/endpoint-url.ts';
import type { StoreLocation } from '../../../engines/sql/store-location.ts';
import type { FoundTracks, IndexState, TrackFinder } from '../saved-search-matches.ts';
import type { AttemptResult } from '../schedule.ts';

/** The data that the thread of webhooks is started with. */
export interface WebhookThreadData {
  /** Where the store is, as plain data. */
  store: StoreLocation;
  targets: Targets;
  /** The name servers that are asked for the addresses of webhooks; undefined for those of the machine. */
  nameServers: readonly string[] | undefined;
}

/** A question about the index, which the serving thread has. */
export type IndexAsk =
  | { kind: 'state' }
  | {
      kind: 'find';
      search: Parameters<TrackFinder['find']>[0];
      request: Parameters<TrackFinder['find']>[1];
    };

/** The answer to a question. */
export type IndexAnswer = IndexState | FoundTracks;

/** A message to the thread; `id` is the id of the question that it answers. */
export type ToWebhookThread =
  | { kind: 'stop' }
  | { kind: 'answer'; id: number; answer: IndexAnswer | { fault: SerializedError } };

/** What the thread has done since it was measured before, and its state. */
export interface Measured {
  /** The attempts by what became of the message. */
  attempts: Readonly<Record<AttemptResult['outcome'], number>>;
  /** The messages that are not delivered. */
  pending: number;
  /** The milliseconds for which not all messages of what is new are made; 0 if they are. */
  behindMs: number;
}

/** A message from the thread. */
export type FromWebhookThread =
  | { kind: 'ask'; id: number; ask: IndexAsk }
  | { kind: 'failed'; what: string; fault: SerializedError }
  | { kind: 'measured'; measured: Measured };

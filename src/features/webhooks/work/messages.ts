import type { SerializedError } from '../../../common/threads/calls.ts';
import type { Targets } from '../../../engines/net/endpoint-url.ts';
import type { StoreLocation } from '../../../engines/sql/setting-store.ts';
import type { TrackFinder } from '../saved-search-matches.ts';
import type { AttemptResult } from '../schedule.ts';

/** The data that the thread of webhooks is started with. */
export interface WebhookThreadData {
  /** Where the store is, as plain data. */
  store: StoreLocation;
  targets: Targets;
  /** The name servers that are asked for the addresses of webhooks; undefined for those of the machine. */
  nameServers: readonly string[] | undefined;
}

/** What the thread has done since it was measured before, and its state. */
export interface Measured {
  /** The attempts by what became of the message. */
  attempts: Readonly<Record<AttemptResult['outcome'], number>>;
  /** The messages that are not delivered. */
  pending: number;
  /** The milliseconds for which not all messages of what is new are made; 0 if they are. */
  behindMs: number;
}

/** What the thread of webhooks offers. */
export interface WebhookThread {
  /** Makes and sends messages until `stop` is called. */
  run(data: WebhookThreadData): Promise<void>;
  stop(): void;
}

/** What the serving thread offers it: the index, and where it reports. */
export interface WebhookThreadStarter extends TrackFinder {
  measured(measured: Measured): void;
  /** Called for what has failed, and is repeated. */
  failed(what: string, fault: SerializedError): void;
}

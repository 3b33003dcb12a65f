import type { Actor } from '../../common/caller/actor.ts';
import type { RequireVersion, WriteContext } from '../../common/caller/write-context.ts';
import type { SimulatedEvent } from './payload.ts';
import type {
  Delivery,
  DeliveryRecord,
  DeliveryStatus,
  EventType,
  MessageType,
  Webhook,
  WebhookChange,
  WebhookOwner,
  WebhookRecord,
} from './webhook.ts';

/** What creates an endpoint. */
export type NewWebhook = Pick<
  Webhook,
  'id' | 'url' | 'eventTypes' | 'description' | 'referencedOnly'
> & {
  /** 32 random bytes, with which its messages are signed. */
  secret: Buffer;
};

/**
 * The endpoints of clients. One of another client or mode is `not_found`, as an unknown one.
 * Ids are in lower case. Every change is in the change log, except a rotation of the secret. While an endpoint is
 * disabled, nothing is sent to it; once it is enabled, it gets what changes from then on.
 */
export interface WebhookStore {
  /** Creates an endpoint that is enabled. Throws `conflict` if the client has MAX_WEBHOOKS in the mode. */
  create(webhook: NewWebhook, context: WriteContext<Webhook>): Promise<Webhook>;
  /** A page of the endpoints of a client and a mode, newest first. */
  list(
    owner: WebhookOwner,
    page: { offset: number; limit: number },
  ): Promise<{ webhooks: Webhook[]; total: number }>;
  find(id: string, owner: WebhookOwner): Promise<Webhook>;
  /**
   * Changes the given members. To disable it discards its pending messages. Throws `conflict` if the partner enables
   * what the operator disabled.
   */
  update(
    id: string,
    change: WebhookChange,
    requireVersion: RequireVersion,
    context: WriteContext<Webhook>,
  ): Promise<Webhook>;
  /** Deletes an endpoint, its messages and its secrets. */
  delete(id: string, requireVersion: RequireVersion, context: WriteContext<void>): Promise<void>;
  /**
   * Replaces the secret. The former one stays valid for SECRET_OVERLAP_MS, unless `revokePrevious` ends all earlier
   * ones. Returns until when, in milliseconds since the epoch. Throws `conflict` if more than MAX_SECRETS would be
   * valid.
   */
  rotateSecret(
    id: string,
    rotation: { secret: Buffer; revokePrevious: boolean },
    context: WriteContext<{ previousValidUntil: number | null }>,
  ): Promise<{ previousValidUntil: number | null }>;
  /** The endpoints of all clients, or of one, in both modes, newest first. Throws `not_found` for an unknown client. */
  records(clientId?: string): Promise<WebhookRecord[]>;
  /** An endpoint, for the operator. */
  record(id: string): Promise<WebhookRecord>;
  /** Enables or disables an endpoint for the operator. Returns whether that was a change. */
  setEnabled(id: string, enabled: boolean, by: Actor): Promise<boolean>;
}

/** For whom the messages of an endpoint are: `operator` may see and send those of each endpoint. */
export type MessageUser = WebhookOwner | 'operator';
/** The context of a write to messages. */
export type MessageContext<Result> = WriteContext<Result> | 'operator';

/** A change of a track in the log. */
export interface TrackChange {
  trackId: string;
  seq: number;
  /** In milliseconds since the epoch. */
  at: number;
  type: EventType;
}

/** A message with the client whose endpoint got it. */
export interface SentToClient extends WebhookOwner {
  clientName: string;
  webhookId: string;
  delivery: Delivery;
}

/**
 * The messages to endpoints, which are found as by `WebhookStore`. They are kept for 30 days. None of this is in the
 * change log.
 */
export interface DeliveryStore {
  /** A page of the deliveries to an endpoint, newest first, with the number of all. */
  list(
    webhookId: string,
    user: MessageUser,
    request: {
      status?: DeliveryStatus | undefined;
      type?: MessageType | undefined;
      offset: number;
      limit: number;
    },
  ): Promise<{ deliveries: Delivery[]; total: number }>;
  /** Some deliveries to an endpoint, for the operator: newest first, after a place in this order if one is given. */
  after(
    webhookId: string,
    request: {
      status?: DeliveryStatus | undefined;
      place?: Pick<Delivery, 'createdAt' | 'id'> | undefined;
      limit: number;
    },
  ): Promise<Delivery[]>;
  find(webhookId: string, id: string, user: MessageUser): Promise<DeliveryRecord>;
  /** The messages that reported a change of a track, one for each endpoint that got one, for the operator. */
  ofTrackChange(change: TrackChange): Promise<SentToClient[]>;
  /** Adds a ping. Throws `conflict` if nothing is sent to the endpoint, or too many are pending. */
  ping(
    webhookId: string,
    context: MessageContext<{ deliveryId: string }>,
  ): Promise<{ deliveryId: string }>;
  /** Adds a message that only looks like one of a type. Throws `conflict` as `ping`, and in live mode. */
  simulate(
    webhookId: string,
    event: SimulatedEvent,
    context: WriteContext<{ deliveryId: string }>,
  ): Promise<{ deliveryId: string }>;
  /**
   * Begins the attempts of a delivery anew. Throws `conflict` if nothing is sent to the endpoint, the feature of the type
   * is off, or the delivery is pending.
   */
  replay(
    webhookId: string,
    id: string,
    context: MessageContext<{ deliveryId: string }>,
  ): Promise<{ deliveryId: string }>;
  /**
   * Replays the deliveries that were created from one time to another, both included and in milliseconds since the
   * epoch: those that failed, or all. Leaves out those that are pending, and those of types whose feature is off. Returns
   * their number. Throws `conflict` if nothing is sent to the endpoint.
   */
  replayBetween(
    webhookId: string,
    request: { from: number; to?: number | undefined; status: 'failed' | 'all' },
    context: MessageContext<{ count: number }>,
  ): Promise<{ count: number }>;
  /** Deletes the deliveries that are older than DELIVERY_DAYS, unless they are pending. Works in short transactions. */
  expire(signal?: AbortSignal): Promise<void>;
}

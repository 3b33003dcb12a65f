import type { Feature, Mode } from '../../common/caller.ts';
import { DAY_MS } from '../../common/clock.ts';
import { StaveError } from '../../common/errors.ts';
import { newId } from '../../common/ids.ts';

/** The most endpoints of a client in one mode. */
export const MAX_WEBHOOKS = 10;
/** How long the secret that a rotation replaces stays valid. */
export const SECRET_OVERLAP_MS = DAY_MS;
/** The most secrets of an endpoint that are valid at the same time, with the current one. */
export const MAX_SECRETS = 4;

/** How many days a delivery is kept. */
export const DELIVERY_DAYS = 30;
/** When a delivery is replayed, so many of its attempts are kept, the last ones. */
export const KEPT_ATTEMPTS = 90;
/** The most pending messages of one type to an endpoint that the client or the operator asked for. */
const MAX_PENDING_TESTS = 100;

/** The types of events to which an endpoint may subscribe. */
export const EVENT_TYPES = [
  'track.created',
  'track.updated',
  'track.taken_down',
  'track.restored',
  'playlist.updated',
  'playlist.granted',
  'playlist.revoked',
  'collection.updated',
  'saved_search.matched',
  'license.issued',
  'license.revoked',
] as const;
/** A type of events. */
export type EventType = (typeof EVENT_TYPES)[number];
/** The type of a message. A ping is sent whatever the endpoint subscribes to. */
export type MessageType = EventType | 'webhook.ping';

/** The features that must be on for a client besides `webhooks`, so that it gets events of these types. */
export const FEATURES_OF: Partial<Record<EventType, Feature>> = {
  'collection.updated': 'saved-searches',
  'saved_search.matched': 'saved-searches',
  'license.issued': 'licensing',
  'license.revoked': 'licensing',
};

/** Why an endpoint is disabled: it responded with 410, it failed for long, or the operator or the partner did it. */
export type DisabledReason = 'gone' | 'failing' | 'operator';

/** Whose endpoints: those of a client, in one mode. */
export interface WebhookOwner {
  clientId: string;
  mode: Mode;
}

/** An endpoint of a partner to which messages are sent. Times are in milliseconds since the epoch. */
export interface Webhook {
  /** UUID version 7. */
  id: string;
  url: string;
  /** In the order of EVENT_TYPES. */
  eventTypes: EventType[];
  description: string;
  /** Whether it gets changes of tracks only if the client refers to the track; it gets new tracks in any case. */
  referencedOnly: boolean;
  enabled: boolean;
  /** Null while it is enabled, and if the partner disabled it. */
  disabledReason: DisabledReason | null;
  /** Counts the edits, from 1. */
  version: number;
  createdAt: number;
  updatedAt: number;
}

/** An endpoint as the operator sees it. */
export interface WebhookRecord extends Webhook, WebhookOwner {}

/** The members that a partner may change. */
export type WebhookChange = Partial<
  Pick<Webhook, 'url' | 'eventTypes' | 'description' | 'referencedOnly' | 'enabled'>
>;

/** The states of a delivery. It is discarded if its endpoint or client was disabled before it was delivered. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'discarded'] as const;
/** The state of a delivery. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** A message to an endpoint. Times are in milliseconds since the epoch. */
export interface Delivery {
  /** UUID version 7. */
  id: string;
  type: MessageType;
  /** The position in the change log of the last change that it reports; null for pings and simulated messages. */
  seq: number | null;
  status: DeliveryStatus;
  /** Also counts the attempts before a replay. */
  attemptCount: number;
  /** Null unless it is pending. */
  nextAttemptAt: number | null;
  createdAt: number;
  /** Null while it is pending. */
  finishedAt: number | null;
}

/** One attempt to deliver. */
interface Attempt {
  /** From 1. */
  attempt: number;
  /** When it began. */
  at: number;
  durationMs: number;
  /** Null without a response. */
  httpStatus: number | null;
  /** Why there is no complete response; null if there is one. */
  error: string | null;
  /** The first 1 KiB of the body of the response. */
  response: string;
}

/** A delivery with what is sent, and its attempts in order. */
export interface DeliveryRecord extends Delivery {
  /** The JSON text of the body. */
  payload: string;
  attempts: Attempt[];
}

/** Whether a client with these features gets events of a type. */
export function isSent(type: EventType, features: readonly Feature[]): boolean {
  const feature = FEATURES_OF[type];
  return features.includes('webhooks') && (feature === undefined || features.includes(feature));
}

/** The types whose events a client with these features does not get. */
export function unsentTypes(features: readonly Feature[]): EventType[] {
  return EVENT_TYPES.filter((type) => !isSent(type, features));
}

/** The error for an endpoint that does not exist for the caller. */
export function unknownWebhook(): StaveError {
  return new StaveError('not_found', 'You have no webhook with this id.');
}

/** The error for a delivery that its endpoint does not have. */
export function unknownDelivery(): StaveError {
  return new StaveError('not_found', 'The webhook has no delivery with this id.');
}

/** The error for one endpoint too many. */
export function tooManyWebhooks(): StaveError {
  return new StaveError(
    'conflict',
    `You have ${MAX_WEBHOOKS} webhooks, the most of a client in one mode; delete one first.`,
  );
}

/** Throws `conflict` if nothing is sent to the endpoint. */
export function refuseDisabled({ enabled }: Pick<Webhook, 'enabled'>): void {
  if (!enabled) {
    throw new StaveError('conflict', 'The webhook is disabled; enable it first.');
  }
}

/** Throws `conflict` if the client of an endpoint is disabled, or lacks the feature: nothing is sent then. */
export function refuseInactive(isClientActive: boolean): void {
  if (!isClientActive) {
    throw new StaveError(
      'conflict',
      'The client of the webhook is disabled, or its feature webhooks is off; nothing is sent to it.',
    );
  }
}

/** Throws `conflict` if a message reports changes of a type that a client with these features does not get. */
export function refuseUnsent(
  { type, count }: { type: MessageType; count: number },
  features: readonly Feature[],
): void {
  // Pings and simulated messages report no change.
  if (count === 0 || type === 'webhook.ping' || isSent(type, features)) return;
  throw new StaveError(
    'conflict',
    `The feature ${FEATURES_OF[type]} is off for the client; messages of the type ${type} are not sent.`,
  );
}

/** Throws `conflict` if one more message that was asked for would be too many. */
export function refuseOneMoreTest(pending: number): void {
  if (pending >= MAX_PENDING_TESTS) {
    throw new StaveError(
      'conflict',
      `${MAX_PENDING_TESTS} test messages of this type are pending; wait until some have been sent.`,
    );
  }
}

/** Throws `conflict` if a partner enables an endpoint that the operator disabled. */
export function refuseEnabling({ enabled, disabledReason }: Webhook, change: WebhookChange): void {
  if (change.enabled && !enabled && disabledReason === 'operator') {
    throw new StaveError('conflict', 'The operator disabled the webhook; ask them to enable it.');
  }
}

/** What a partner wants to have simulated. */
export interface SimulatedEvent {
  type: EventType;
  /** The track of an event of a track. */
  trackId: string;
}

/** Returns the text of a message. The attempts of a message all send this text. */
export function payloadOf(type: MessageType, at: number, data: object): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}

/** Returns the payload of a ping. */
export function pingPayload(webhookId: string, mode: Mode, now: number): string {
  return payloadOf('webhook.ping', now, { mode, webhookId });
}

/** Returns the payload of a message that reports no change. Throws `conflict` in live mode. */
export function simulatedPayload({ type, trackId }: SimulatedEvent, mode: Mode, now: number) {
  if (mode === 'live') {
    throw new StaveError('conflict', 'Only webhooks of test mode get simulated messages.');
  }
  return payloadOf(type, now, { mode, simulated: true, ...sampleOf(type, trackId, now) });
}

/** The first part of the name of a type. */
type EntityOf<Type> = Type extends `${infer Entity}.${string}` ? Entity : never;

function sampleOf(type: EventType, trackId: string, now: number): object {
  const [entity] = type.split('.') as [EntityOf<EventType>];
  switch (entity) {
    case 'track':
      return {
        count: 1,
        truncated: false,
        batchId: null,
        items: [
          {
            trackId,
            occurredAt: new Date(now).toISOString(),
            changedFields: type === 'track.updated' ? ['name'] : [],
            references: { playlists: 0, collections: 0, licenses: 0 },
          },
        ],
      };
    case 'playlist':
      return { playlistId: newId() };
    case 'collection':
      return { collectionId: newId(), change: 'updated', version: 2 };
    case 'saved_search':
      return { savedSearchId: newId(), name: 'Simulated', count: 1, trackIds: [trackId] };
    case 'license':
      return {
        number: 'SIMULATED',
        status: type === 'license.issued' ? 'active' : 'revoked',
        count: 1,
        trackIds: [trackId],
      };
  }
}

import type { ClientMode, Feature, Mode } from '../../common/caller.ts';
import { DAY_MS } from '../../common/clock.ts';
import { StaveError } from '../../common/errors.ts';
import { newId } from '../../common/ids.ts';

/** The most endpoints of a client in one mode. */
export const MAX_WEBHOOKS = 10;
/** How long a secret stays valid after a rotation replaced it. */
export const SECRET_OVERLAP_MS = DAY_MS;
/** The most secrets of an endpoint that are valid at the same time, with the current one. */
export const MAX_SECRETS = 4;

export const DELIVERY_DAYS = 30;
/** A replay keeps this many of the last attempts. */
export const KEPT_ATTEMPTS = 90;
/** The most pending pings, or simulated messages of one type, to an endpoint. */
const MAX_PENDING_TESTS = 100;

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
export type EventType = (typeof EVENT_TYPES)[number];
/** Every endpoint gets pings. */
export type MessageType = EventType | 'webhook.ping';

/** The feature that a client needs for events of a type, besides `webhooks`. */
export const FEATURES_OF: Readonly<Partial<Record<EventType, Feature>>> = {
  'collection.updated': 'saved-searches',
  'saved_search.matched': 'saved-searches',
  'license.issued': 'licensing',
  'license.revoked': 'licensing',
};

/** `gone`: it responded with 410. `failing`: it failed for long. */
export type DisabledReason = 'gone' | 'failing' | 'operator';

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
  /** Whether messages have an `Authorization` header of the client. */
  hasAuthorization: boolean;
  enabled: boolean;
  /** Null while it is enabled, and if the partner disabled it. */
  disabledReason: DisabledReason | null;
  /** Counts the edits, from 1. */
  version: number;
  createdAt: number;
  updatedAt: number;
}

export interface WebhookRecord extends Webhook, ClientMode {
  /** Whether its last attempt failed, or it was disabled because it failed for long. */
  isFailing: boolean;
}

/** Whether the last attempt failed. */
export function hasFailedLast(endpoint: {
  lastSuccessAt: number | null;
  lastFailureAt: number | null;
}): boolean {
  const { lastSuccessAt, lastFailureAt } = endpoint;
  return lastFailureAt !== null && lastFailureAt > (lastSuccessAt ?? 0);
}

export type WebhookChange = Partial<
  Pick<Webhook, 'url' | 'eventTypes' | 'description' | 'referencedOnly' | 'enabled'>
> &
  GivenAuthorization;

export interface GivenAuthorization {
  /** The value of the `Authorization` header of messages; empty: none. */
  authorization?: string;
}

/** The states of a delivery. It is discarded if its endpoint or client was disabled before it was delivered. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'discarded'] as const;
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

export interface Attempt {
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

export interface DeliveryRecord extends Delivery {
  /** The JSON text of the body. */
  payload: string;
  /** In order. */
  attempts: Attempt[];
}

export function isSent(type: EventType, features: readonly Feature[]): boolean {
  const feature = FEATURES_OF[type];
  return features.includes('webhooks') && (feature === undefined || features.includes(feature));
}

export function unsentTypes(features: readonly Feature[]): EventType[] {
  return EVENT_TYPES.filter((type) => !isSent(type, features));
}

/**
 * Throws `conflict` for a URL on another origin without the `Authorization` header for it, because the former one may be
 * secret to whoever receives messages there.
 */
export function refuseMove(
  { url, hasAuthorization }: Webhook,
  { url: next = url, authorization }: WebhookChange,
): void {
  if (!hasAuthorization || authorization !== undefined) return;
  if (new URL(next).origin === new URL(url).origin) return;
  throw new StaveError(
    'conflict',
    'The URL is on another host: send authorization for it, too, or "" if it needs none.',
  );
}

/** Returns a URL of a client for other people: without the values of its query, because one may be a secret. */
export function maskedUrl(url: string): string {
  return url.replace(/\?.*/, (query) => query.replace(/([?&](?:[^=&]*=)?)[^&]+/g, '$1…'));
}

export function unknownWebhook(): StaveError {
  return new StaveError('not_found', 'You have no webhook with this id.');
}

export function unknownDelivery(): StaveError {
  return new StaveError('not_found', 'The webhook has no delivery with this id.');
}

/** Throws `conflict` if the endpoint or its client is disabled, or the client lacks the feature. */
export function refuseInactive({ enabled }: Pick<Webhook, 'enabled'>, isClientActive: boolean) {
  if (!enabled) {
    throw new StaveError('conflict', 'The webhook is disabled; enable it first.');
  }
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

/** Throws `conflict` if MAX_PENDING_TESTS are pending. */
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

export interface SimulatedEvent {
  type: EventType;
  trackId: string;
}

/** Returns the body of a message, which all attempts send. */
export function payloadOf(type: MessageType, at: number, data: object): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}

/** Throws `conflict` in live mode. */
export function simulatedPayload({ type, trackId }: SimulatedEvent, mode: Mode, now: number) {
  if (mode === 'live') {
    throw new StaveError('conflict', 'Only webhooks of test mode get simulated messages.');
  }
  return payloadOf(type, now, { mode, simulated: true, ...sampleOf(type, trackId, now) });
}

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

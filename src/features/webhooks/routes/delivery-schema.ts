import Type from 'typebox';
import { oneOf, timestamp, timestampOrNull, uuid } from '../../../common/schema-types.ts';
import {
  type Delivery,
  type DeliveryRecord,
  type DeliveryStatus,
  EVENT_TYPES,
} from '../webhook.ts';
import { webhookParams } from './webhook-schema.ts';

const DELIVERY_ID = '0193a4c2-9f10-7c3e-8b7a-7b105d2e6c41';

/** The types of messages. */
export const MESSAGE_TYPES = [...EVENT_TYPES, 'webhook.ping'] as const;

/** The path parameters of a delivery. */
export const deliveryParams = {
  ...webhookParams,
  deliveryId: Type.String({
    description: 'The id of the delivery, in either case.',
    examples: [DELIVERY_ID],
  }),
};

const STATUSES: readonly DeliveryStatus[] = ['pending', 'delivered', 'failed', 'discarded'];

/** The schema of a status. */
export const statusMember = oneOf(STATUSES, {
  description:
    '`discarded`: the webhook was disabled, or the feature switched off, before it was delivered.',
  examples: ['failed'],
});

const members = {
  id: uuid({ examples: [DELIVERY_ID] }),
  type: oneOf(MESSAGE_TYPES, { examples: ['track.taken_down'] }),
  seq: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'The `seq` of the message; null for pings and simulated messages.',
    examples: [4711],
  }),
  status: statusMember,
  attemptCount: Type.Integer({
    minimum: 0,
    description: 'The attempts so far, with those before a replay.',
    examples: [3],
  }),
  nextAttemptAt: timestampOrNull({
    description: 'Null unless it is pending.',
    examples: ['2026-11-21T10:35:00.123Z'],
  }),
  createdAt: timestamp({ examples: ['2026-11-21T10:00:00.123Z'] }),
  finishedAt: timestampOrNull({
    description: 'Null while it is pending.',
    examples: [null],
  }),
};

/** A delivery in a list (docs/contract/webhooks.md#deliveries). */
export const DeliverySchema = Type.Object(members, { title: 'WebhookDelivery' });

const AttemptSchema = Type.Object(
  {
    attempt: Type.Integer({ minimum: 1, description: 'The number, from 1.', examples: [1] }),
    at: timestamp({ examples: ['2026-11-21T10:00:00.456Z'] }),
    durationMs: Type.Integer({ minimum: 0, examples: [182] }),
    httpStatus: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The status of the response; null without one.',
      examples: [503],
    }),
    error: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description:
        'Why there is no complete response, such as `timeout`, `connection_failed`, `tls_failed` or `address_not_public`; null if there is one.',
      examples: [null],
    }),
    response: Type.String({
      description: 'The first 1 KiB of the body.',
      examples: ['Service Unavailable'],
    }),
  },
  { title: 'WebhookAttempt' },
);

/** A delivery that is read alone. */
export const DeliveryDetailSchema = Type.Object(
  {
    ...members,
    payload: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: true,
      description: 'The object that is sent.',
      examples: [{ type: 'webhook.ping', timestamp: '2026-11-21T10:00:00.123Z', data: {} }],
    }),
    attempts: Type.Array(AttemptSchema, { description: 'The attempts in order.' }),
  },
  { title: 'WebhookDeliveryDetail' },
);

/** The schema of a response that names a delivery. */
export const DeliveryIdSchema = Type.Object(
  { deliveryId: uuid({ examples: [DELIVERY_ID] }) },
  { title: 'WebhookDeliveryId' },
);

/** Returns a delivery as its client sees it. */
export function shownDelivery(delivery: Delivery) {
  const { id, type, seq, status, attemptCount, nextAttemptAt, createdAt, finishedAt } = delivery;
  return {
    id,
    type,
    seq,
    status,
    attemptCount,
    nextAttemptAt: textOf(nextAttemptAt),
    createdAt: textOf(createdAt),
    finishedAt: textOf(finishedAt),
  };
}

/** Returns a delivery with what was sent, and its attempts. */
export function shownDeliveryDetail(delivery: DeliveryRecord) {
  return {
    ...shownDelivery(delivery),
    payload: JSON.parse(delivery.payload) as object,
    attempts: delivery.attempts.map(({ at, ...attempt }) => ({ ...attempt, at: textOf(at) })),
  };
}

function textOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

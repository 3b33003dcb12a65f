import Type from 'typebox';
import {
  integer,
  integerOrNull,
  oneOf,
  openEnum,
  text,
  textOrNull,
  time,
  timestamp,
  timestampOrNull,
  uuid,
} from '../../../common/schema-types.ts';
import { isoOrNull, parseTime } from '../../../common/time.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { pageMembers, pageResponse, paginated, rangeOf } from '../../../engines/http/schemas.ts';
import { FIXTURE_TRACK_ID } from '../../catalog/track-document.ts';
import type { DeliveryStore } from '../store/delivery-store.ts';
import { DELIVERY_STATUSES, type Delivery, EVENT_TYPES } from '../webhook.ts';
import { WEBHOOK_ROUTE, webhookParams } from './webhook-schema.ts';

const DELIVERY_ID = '0193a4c2-9f10-7c3e-8b7a-7b105d2e6c41';

const MESSAGE_TYPES = [...EVENT_TYPES, 'webhook.ping'] as const;

const deliveryParams = {
  ...webhookParams,
  deliveryId: text('The id of the delivery, in either case.', DELIVERY_ID),
};

const status = {
  description:
    '`discarded`: the webhook was disabled, or the feature switched off, before it was delivered.',
  examples: ['failed'],
};

const members = {
  id: uuid({ examples: [DELIVERY_ID] }),
  type: openEnum(MESSAGE_TYPES, { examples: ['track.taken_down'] }),
  seq: integerOrNull('The `seq` of the message; null for pings and simulated messages.', 4711),
  status: openEnum(DELIVERY_STATUSES, status),
  attemptCount: integer('The attempts so far, with those before a replay.', 3),
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

/** See docs/contract/webhooks.md#deliveries. */
const DeliverySchema = Type.Object(members, { title: 'WebhookDelivery' });

const AttemptSchema = Type.Object(
  {
    attempt: integer('The number, from 1.', 1, { minimum: 1 }),
    at: timestamp({ examples: ['2026-11-21T10:00:00.456Z'] }),
    durationMs: Type.Integer({ minimum: 0, examples: [182] }),
    httpStatus: integerOrNull('The status of the response; null without one.', 503),
    error: textOrNull(
      'Why there is no complete response, such as `timeout`, `connection_failed`, `tls_failed` or `address_not_public`; null if there is one.',
      null,
    ),
    response: text('The first 1 KiB of the body.', 'Service Unavailable'),
  },
  { title: 'WebhookAttempt' },
);

const DeliveryDetailSchema = Type.Object(
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

/** What the operations that send one message have in common. */
const SENDING = {
  ...WEBHOOK_ROUTE,
  method: 'POST',
  errors: ['not_found', 'conflict'],
  idempotent: true,
  success: { statuses: [202] },
  data: Type.Object(
    { deliveryId: uuid({ examples: [DELIVERY_ID] }) },
    { title: 'WebhookDeliveryId' },
  ),
} as const;

export function deliveryRoutes(deliveries: DeliveryStore): Route[] {
  return [
    pingWebhook(deliveries),
    simulateWebhook(deliveries),
    listDeliveries(deliveries),
    showDelivery(deliveries),
    replayDelivery(deliveries),
    replayWebhook(deliveries),
  ];
}

/** POST /v1/webhooks/{id}/ping (docs/contract/webhooks.md#test-messages). */
function pingWebhook(deliveries: DeliveryStore): Route {
  return route({
    ...SENDING,
    operationId: 'pingWebhook',
    path: '/v1/webhooks/{id}/ping',
    summary: 'Send a ping',
    description: 'A message of the type `webhook.ping`, whatever `eventTypes` contains.',
    params: Type.Object(webhookParams),
    body: Type.Object({}, { title: 'WebhookPing' }),
    emptyBody: true,
    handle: ({ params, change }) =>
      change(
        (context) => deliveries.ping(params.id.toLowerCase(), context),
        (data) => ({ data }),
      ),
  });
}

/** POST /v1/webhooks/{id}/simulate (docs/contract/webhooks.md#test-messages). */
function simulateWebhook(deliveries: DeliveryStore): Route {
  return route({
    ...SENDING,
    operationId: 'simulateWebhook',
    path: '/v1/webhooks/{id}/simulate',
    summary: 'Send a message as if something had changed',
    description:
      'Only in test mode; in live mode, the response is 409 `conflict`. `data.simulated` of the message is true. The type need not be one of `eventTypes`.',
    params: Type.Object(webhookParams),
    body: Type.Object(
      {
        type: oneOf(EVENT_TYPES, {
          description: 'The type of the message.',
          examples: ['track.taken_down'],
        }),
        trackId: Type.Optional(
          uuid({
            default: FIXTURE_TRACK_ID,
            description: 'The track that the message names, of any id.',
            examples: [FIXTURE_TRACK_ID],
          }),
        ),
      },
      { title: 'SimulatedMessage' },
    ),
    handle({ params, body: { type, trackId = FIXTURE_TRACK_ID }, change }) {
      const event = { type, trackId: trackId.toLowerCase() };
      return change(
        (context) => deliveries.simulate(params.id.toLowerCase(), event, context),
        (data) => ({ data }),
      );
    },
  });
}

/** GET /v1/webhooks/{id}/deliveries (docs/contract/webhooks.md#deliveries). */
function listDeliveries(store: DeliveryStore): Route {
  return route({
    ...WEBHOOK_ROUTE,
    operationId: 'listWebhookDeliveries',
    method: 'GET',
    path: '/v1/webhooks/{id}/deliveries',
    summary: 'List the deliveries to a webhook',
    description: 'The messages of the last 30 days, newest first.',
    errors: ['not_found'],
    params: Type.Object(webhookParams),
    query: Type.Object({
      status: Type.Optional(oneOf(DELIVERY_STATUSES, status)),
      type: Type.Optional(
        oneOf(MESSAGE_TYPES, {
          description: 'Only messages of this type.',
          examples: ['track.taken_down'],
        }),
      ),
      ...pageMembers,
    }),
    data: paginated(DeliverySchema, 'WebhookDeliveryPage'),
    async handle({ params, query, caller }) {
      const { status, type } = query;
      const request = { status, type, ...rangeOf(query) };
      const { deliveries, total } = await store.list(params.id.toLowerCase(), caller!, request);
      return pageResponse(deliveries.map(shownDelivery), total, query);
    },
  });
}

/** GET /v1/webhooks/{id}/deliveries/{deliveryId} (docs/contract/webhooks.md#deliveries). */
function showDelivery(deliveries: DeliveryStore): Route {
  return route({
    ...WEBHOOK_ROUTE,
    operationId: 'showWebhookDelivery',
    method: 'GET',
    path: '/v1/webhooks/{id}/deliveries/{deliveryId}',
    summary: 'Read a delivery',
    description: 'With the message and how your server responded to each attempt.',
    errors: ['not_found'],
    params: Type.Object(deliveryParams),
    data: DeliveryDetailSchema,
    async handle({ params, caller }) {
      const [id, deliveryId] = [params.id.toLowerCase(), params.deliveryId.toLowerCase()];
      const { payload, attempts, ...delivery } = await deliveries.find(id, deliveryId, caller!);
      return {
        data: {
          ...shownDelivery(delivery),
          payload: JSON.parse(payload) as object,
          attempts: attempts.map(({ at, ...attempt }) => ({ ...attempt, at: isoOrNull(at) })),
        },
      };
    },
  });
}

/** POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay (docs/contract/webhooks.md#replays). */
function replayDelivery(deliveries: DeliveryStore): Route {
  return route({
    ...SENDING,
    operationId: 'replayWebhookDelivery',
    path: '/v1/webhooks/{id}/deliveries/{deliveryId}/replay',
    summary: 'Send a message again',
    description:
      'With the same `webhook-id` and content; the attempts begin anew. A delivery that is pending gets 409 `conflict`.',
    params: Type.Object(deliveryParams),
    body: Type.Object({}, { title: 'DeliveryReplay' }),
    emptyBody: true,
    handle({ params, change }) {
      const [id, deliveryId] = [params.id.toLowerCase(), params.deliveryId.toLowerCase()];
      return change(
        (context) => deliveries.replay(id, deliveryId, context),
        (data) => ({ data }),
      );
    },
  });
}

/** POST /v1/webhooks/{id}/replay (docs/contract/webhooks.md#replays). */
function replayWebhook(deliveries: DeliveryStore): Route {
  return route({
    ...SENDING,
    operationId: 'replayWebhook',
    path: '/v1/webhooks/{id}/replay',
    summary: 'Send the messages of a time again',
    description:
      'Those that were created from `from` to `to`, both included, after your server was not available. Deliveries that are pending are left out.',
    params: Type.Object(webhookParams),
    body: Type.Object(
      {
        from: time({ description: 'The beginning.', examples: ['2026-11-20T00:00:00Z'] }),
        to: Type.Optional(
          time({ description: 'The end; by default now.', examples: ['2026-11-21T00:00:00Z'] }),
        ),
        status: Type.Optional(
          oneOf(['failed', 'all'], {
            default: 'failed',
            description: 'Only messages that failed, or all.',
            examples: ['failed'],
          }),
        ),
      },
      { title: 'ReplayRequest' },
    ),
    checkBody: ({ from, to }) =>
      from !== undefined && to !== undefined && parseTime(to)! < parseTime(from)!
        ? [{ field: 'to', message: 'to must not be before from' }]
        : [],
    data: Type.Object(
      {
        count: integer('The number of messages that are sent again.', 12),
      },
      { title: 'ReplayResult' },
    ),
    handle({ params, body, change }) {
      const request = {
        from: parseTime(body.from)!,
        to: body.to === undefined ? undefined : parseTime(body.to)!,
        status: body.status ?? 'failed',
      };
      return change(
        (context) => deliveries.replayBetween(params.id.toLowerCase(), request, context),
        (data) => ({ data }),
      );
    },
  });
}

function shownDelivery({ nextAttemptAt, createdAt, finishedAt, ...delivery }: Delivery) {
  return {
    ...delivery,
    nextAttemptAt: isoOrNull(nextAttemptAt),
    createdAt: isoOrNull(createdAt),
    finishedAt: isoOrNull(finishedAt),
  };
}

import Type from 'typebox';
import { oneOf, uuid } from '../../../common/schema-types.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { FIXTURE_TRACK_ID } from '../../catalog/fixtures.ts';
import type { DeliveryStore } from '../store/delivery-store.ts';
import { EVENT_TYPES } from '../webhook.ts';
import { DeliveryIdSchema } from './delivery-schema.ts';
import { WEBHOOK_ROUTE, webhookParams } from './webhook-schema.ts';

const SHARED = {
  ...WEBHOOK_ROUTE,
  method: 'POST',
  errors: ['not_found', 'conflict'],
  params: Type.Object(webhookParams),
  idempotent: true,
  success: { statuses: [202] },
  data: DeliveryIdSchema,
} as const;

/** POST /v1/webhooks/{id}/ping (docs/contract/webhooks.md#test-messages). */
export function pingWebhook({
  webhookDeliveries,
}: {
  webhookDeliveries: Pick<DeliveryStore, 'ping'>;
}): Route {
  return route({
    ...SHARED,
    operationId: 'pingWebhook',
    path: '/v1/webhooks/{id}/ping',
    summary: 'Send a ping',
    description: 'A message of the type `webhook.ping`, whatever `eventTypes` contains.',
    body: Type.Object({}, { title: 'WebhookPing' }),
    handle: ({ params, change }) =>
      change(
        (context) => webhookDeliveries.ping(params.id.toLowerCase(), context),
        (data) => ({ data }),
      ),
  });
}

/** POST /v1/webhooks/{id}/simulate (docs/contract/webhooks.md#test-messages). */
export function simulateWebhook({
  webhookDeliveries,
}: {
  webhookDeliveries: Pick<DeliveryStore, 'simulate'>;
}): Route {
  return route({
    ...SHARED,
    operationId: 'simulateWebhook',
    path: '/v1/webhooks/{id}/simulate',
    summary: 'Send a message as if something had changed',
    description:
      'Only in test mode; in live mode, the response is 409 `conflict`. `data.simulated` of the message is true. The type need not be one of `eventTypes`.',
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
    handle({ params, body, change }) {
      const trackId = (body.trackId ?? FIXTURE_TRACK_ID).toLowerCase();
      return change(
        (context) =>
          webhookDeliveries.simulate(
            params.id.toLowerCase(),
            { type: body.type, trackId },
            context,
          ),
        (data) => ({ data }),
      );
    },
  });
}

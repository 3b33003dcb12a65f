import Type from 'typebox';
import { oneOf, time } from '../../../common/schema-types.ts';
import { parseTime } from '../../../common/time.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import type { DeliveryStore } from '../store/delivery-store.ts';
import { DeliveryIdSchema, deliveryParams } from './delivery-schema.ts';
import { WEBHOOK_ROUTE, webhookParams } from './webhook-schema.ts';

/** POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay (docs/contract/webhooks.md#replays). */
export function replayWebhookDelivery({
  webhookDeliveries,
}: {
  webhookDeliveries: Pick<DeliveryStore, 'replay'>;
}): Route {
  return route({
    ...WEBHOOK_ROUTE,
    operationId: 'replayWebhookDelivery',
    method: 'POST',
    path: '/v1/webhooks/{id}/deliveries/{deliveryId}/replay',
    summary: 'Send a message again',
    description:
      'With the same `webhook-id` and content; the attempts begin anew. A delivery that is pending gets 409 `conflict`.',
    errors: ['not_found', 'conflict'],
    params: Type.Object(deliveryParams),
    idempotent: true,
    success: { statuses: [202] },
    body: Type.Object({}, { title: 'DeliveryReplay' }),
    data: DeliveryIdSchema,
    handle({ params, change }) {
      const [id, deliveryId] = [params.id.toLowerCase(), params.deliveryId.toLowerCase()];
      return change(
        (context) => webhookDeliveries.replay(id, deliveryId, context),
        (data) => ({ data }),
      );
    },
  });
}

/** POST /v1/webhooks/{id}/replay (docs/contract/webhooks.md#replays). */
export function replayWebhook({
  webhookDeliveries,
}: {
  webhookDeliveries: Pick<DeliveryStore, 'replayBetween'>;
}): Route {
  return route({
    ...WEBHOOK_ROUTE,
    operationId: 'replayWebhook',
    method: 'POST',
    path: '/v1/webhooks/{id}/replay',
    summary: 'Send the messages of a time again',
    description:
      'Those that were created from `from` to `to`, both included, after your server was not available. Deliveries that are pending are left out.',
    errors: ['not_found', 'conflict'],
    params: Type.Object(webhookParams),
    idempotent: true,
    success: { statuses: [202] },
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
      to !== undefined && parseTime(to)! < parseTime(from)!
        ? [{ field: 'to', message: 'to must not be before from' }]
        : [],
    data: Type.Object(
      {
        count: Type.Integer({
          minimum: 0,
          description: 'The number of messages that are sent again.',
          examples: [12],
        }),
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
        (context) => webhookDeliveries.replayBetween(params.id.toLowerCase(), request, context),
        (data) => ({ data }),
      );
    },
  });
}

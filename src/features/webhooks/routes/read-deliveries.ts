import Type from 'typebox';
import { oneOf } from '../../../common/schema-types.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import {
  pageAfter,
  pageAround,
  pageMembers,
  pageOrDefault,
  paginated,
} from '../../../engines/http/schemas.ts';
import type { DeliveryStore } from '../store/delivery-store.ts';
import {
  DeliveryDetailSchema,
  DeliverySchema,
  deliveryParams,
  MESSAGE_TYPES,
  shownDelivery,
  shownDeliveryDetail,
  statusMember,
} from './delivery-schema.ts';
import { WEBHOOK_ROUTE, webhookParams } from './webhook-schema.ts';

/** GET /v1/webhooks/{id}/deliveries (docs/contract/webhooks.md#deliveries). */
export function listWebhookDeliveries({
  webhookDeliveries,
}: {
  webhookDeliveries: Pick<DeliveryStore, 'list'>;
}): Route {
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
      status: Type.Optional(statusMember),
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
      const { page, pageSize } = pageOrDefault(query);
      const { deliveries, total } = await webhookDeliveries.list(params.id.toLowerCase(), caller!, {
        status: query.status,
        type: query.type,
        offset: (page - 1) * pageSize,
        limit: pageSize,
      });
      const data = pageAround(deliveries.map(shownDelivery), total, query);
      return { data, nextPage: pageAfter(data.currentPage, data.totalPages) };
    },
  });
}

/** GET /v1/webhooks/{id}/deliveries/{deliveryId} (docs/contract/webhooks.md#deliveries). */
export function showWebhookDelivery({
  webhookDeliveries,
}: {
  webhookDeliveries: Pick<DeliveryStore, 'find'>;
}): Route {
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
      return { data: shownDeliveryDetail(await webhookDeliveries.find(id, deliveryId, caller!)) };
    },
  });
}

import Type from 'typebox';
import { type Route, route } from '../../../engines/http/route/route.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { WEBHOOK_ROUTE, WebhookSchema, webhookParams, webhookResponse } from './webhook-schema.ts';

/** GET /v1/webhooks/{id} (docs/contract/webhooks.md#endpoint). */
export function showWebhook({ webhooks }: { webhooks: Pick<WebhookStore, 'find'> }): Route {
  return route({
    ...WEBHOOK_ROUTE,
    operationId: 'showWebhook',
    method: 'GET',
    path: '/v1/webhooks/{id}',
    summary: 'Read a webhook',
    description: 'Without its secrets.',
    errors: ['not_found'],
    params: Type.Object(webhookParams),
    success: { headers: ['ETag'] },
    data: WebhookSchema,
    async handle({ params, caller }) {
      return webhookResponse(await webhooks.find(params.id.toLowerCase(), caller!));
    },
  });
}

import Type from 'typebox';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { refuseEmpty } from '../../../engines/http/schemas.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import type { EndpointUrls } from './endpoint-urls.ts';
import {
  orderedTypes,
  WEBHOOK_ROUTE,
  WebhookSchema,
  webhookBody,
  webhookParams,
  webhookResponse,
} from './webhook-schema.ts';

/** PATCH /v1/webhooks/{id} (docs/contract/webhooks.md#edits). */
export function updateWebhook({
  webhooks,
  urls,
}: {
  webhooks: Pick<WebhookStore, 'update'>;
  urls: EndpointUrls;
}): Route {
  const { url, eventTypes, description, referencedOnly } = webhookBody;
  return route({
    ...WEBHOOK_ROUTE,
    operationId: 'updateWebhook',
    method: 'PATCH',
    path: '/v1/webhooks/{id}',
    summary: 'Change, disable or enable a webhook',
    description:
      'Members that are not sent stay as they are. Messages that are waiting go to a new `url`. While a webhook is disabled, changes are not sent; once it is enabled, it gets those from then on. One that the licensor disabled gets 409 `conflict`.',
    errors: ['not_found', 'conflict'],
    params: Type.Object(webhookParams),
    idempotent: true,
    needsMatch: true,
    success: { headers: ['ETag'] },
    body: Type.Object(
      {
        url: Type.Optional(url),
        eventTypes: Type.Optional(eventTypes),
        description: Type.Optional(description),
        referencedOnly: Type.Optional(referencedOnly),
        enabled: Type.Optional(
          Type.Boolean({ description: 'Whether messages are sent.', examples: [true] }),
        ),
      },
      { title: 'WebhookEdit' },
    ),
    checkBody: (body) => [...refuseEmpty(body), ...urls.problems(body)],
    data: WebhookSchema,
    async handle({ params, body, requireVersion, change }) {
      if (body.url !== undefined) await urls.requirePublic(body.url);
      const edit = {
        ...body,
        ...(body.eventTypes && { eventTypes: orderedTypes(body.eventTypes) }),
      };
      return change(
        (context) => webhooks.update(params.id.toLowerCase(), edit, requireVersion, context),
        webhookResponse,
      );
    },
  });
}

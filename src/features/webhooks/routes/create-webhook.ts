import Type from 'typebox';
import type { Clock } from '../../../common/clock.ts';
import { newSortableId } from '../../../common/ids.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { newSigningSecret, shownSigningSecret } from '../../../engines/net/signature.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { MAX_WEBHOOKS } from '../webhook.ts';
import type { EndpointUrls } from './endpoint-urls.ts';
import {
  NewWebhookSchema,
  orderedTypes,
  shownWebhook,
  WEBHOOK_ROUTE,
  webhookBody,
} from './webhook-schema.ts';

/** POST /v1/webhooks: registers an endpoint (docs/contract/webhooks.md#endpoint). */
export function createWebhook({
  webhooks,
  urls,
  clock,
}: {
  webhooks: Pick<WebhookStore, 'create'>;
  urls: EndpointUrls;
  clock: Clock;
}): Route {
  const { url, eventTypes, description, referencedOnly } = webhookBody;
  return route({
    ...WEBHOOK_ROUTE,
    operationId: 'createWebhook',
    method: 'POST',
    path: '/v1/webhooks',
    summary: 'Register a webhook',
    description: `From now on, changes of the given types are sent to the URL. The response shows the secret of its signatures, which is not shown again. A client has ${MAX_WEBHOOKS} webhooks at most in each mode.`,
    errors: ['conflict'],
    idempotent: true,
    secretMembers: ['secret'],
    success: { statuses: [201], headers: ['Location', 'ETag'] },
    body: Type.Object(
      {
        url,
        eventTypes,
        description: Type.Optional(description),
        referencedOnly: Type.Optional(referencedOnly),
      },
      { title: 'WebhookRequest' },
    ),
    checkBody: (body) => urls.problems(body),
    data: NewWebhookSchema,
    async handle({ body, change }) {
      await urls.requirePublic(body.url);
      const secret = newSigningSecret();
      const webhook = {
        id: newSortableId(clock.now()),
        url: body.url,
        eventTypes: orderedTypes(body.eventTypes),
        description: body.description ?? '',
        referencedOnly: body.referencedOnly ?? false,
        secret,
      };
      return change(
        (context) => webhooks.create(webhook, context),
        (created) => ({
          data: { ...shownWebhook(created), secret: shownSigningSecret(secret) },
          version: created.version,
          headers: { Location: `/v1/webhooks/${created.id}` },
        }),
      );
    },
  });
}

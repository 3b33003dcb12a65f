import Type from 'typebox';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { deletedSchema } from '../../../engines/http/schemas.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { WEBHOOK_ROUTE, webhookParams } from './webhook-schema.ts';

/** DELETE /v1/webhooks/{id} (docs/contract/webhooks.md#edits). */
export function deleteWebhook({ webhooks }: { webhooks: Pick<WebhookStore, 'delete'> }): Route {
  return route({
    ...WEBHOOK_ROUTE,
    operationId: 'deleteWebhook',
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    summary: 'Delete a webhook',
    description: 'With its deliveries. Messages that are waiting are not sent.',
    errors: ['not_found'],
    params: Type.Object(webhookParams),
    idempotent: true,
    needsMatch: true,
    data: deletedSchema('DeletedWebhook'),
    handle({ params, requireVersion, change }) {
      const id = params.id.toLowerCase();
      return change(
        (context) => webhooks.delete(id, requireVersion, context),
        () => ({ data: { id, deleted: true } }),
      );
    },
  });
}

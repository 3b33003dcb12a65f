import Type from 'typebox';
import { type Route, route } from '../../../engines/http/route/route.ts';
import {
  pageAfter,
  pageAround,
  pageMembers,
  pageOrDefault,
  paginated,
} from '../../../engines/http/schemas.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { shownWebhook, WEBHOOK_ROUTE, WebhookSchema } from './webhook-schema.ts';

/** GET /v1/webhooks: lists the endpoints of the client (docs/contract/webhooks.md#endpoint). */
export function listWebhooks({ webhooks }: { webhooks: Pick<WebhookStore, 'list'> }): Route {
  return route({
    ...WEBHOOK_ROUTE,
    operationId: 'listWebhooks',
    method: 'GET',
    path: '/v1/webhooks',
    summary: 'List webhooks',
    description: 'Those of the mode of the token, newest first.',
    errors: [],
    query: Type.Object(pageMembers),
    data: paginated(WebhookSchema, 'WebhookPage'),
    async handle({ query, caller }) {
      const { page, pageSize } = pageOrDefault(query);
      const found = await webhooks.list(caller!, {
        offset: (page - 1) * pageSize,
        limit: pageSize,
      });
      const data = pageAround(found.webhooks.map(shownWebhook), found.total, query);
      return { data, nextPage: pageAfter(data.currentPage, data.totalPages) };
    },
  });
}

import Type from 'typebox';
import type { Clock } from '../../../common/clock.ts';
import { type FieldProblem, invalidRequest } from '../../../common/errors.ts';
import { newSortableId } from '../../../common/ids.ts';
import { flag, timestampOrNull } from '../../../common/schema-types.ts';
import { isoOrNull } from '../../../common/time.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import {
  deletedSchema,
  pageMembers,
  pageResponse,
  paginated,
  rangeOf,
  refuseEmpty,
} from '../../../engines/http/schemas.ts';
import {
  endpointUrlProblem,
  parseEndpointUrl,
  type Resolver,
  type Targets,
} from '../../../engines/net/endpoint-url.ts';
import { newSigningSecret, shownSigningSecret } from '../../../engines/net/signature.ts';
import type { DeliveryStore } from '../store/delivery-store.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { MAX_WEBHOOKS } from '../webhook.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import {
  NewWebhookSchema,
  secretMember,
  shownWebhook,
  WEBHOOK_ROUTE,
  WebhookSchema,
  webhookBody,
  webhookParams,
  webhookResponse,
} from './webhook-schema.ts';

const { url, eventTypes, description, referencedOnly, authorization } = webhookBody;

interface WebhookDependencies {
  store: { webhooks: WebhookStore; webhookDeliveries: DeliveryStore };
  endpointUrls: EndpointUrls;
  clock: Clock;
}

/** See docs/contract/webhooks.md. */
export function webhookRoutes({ store, endpointUrls: urls, clock }: WebhookDependencies): Route[] {
  const { webhooks, webhookDeliveries } = store;
  return [
    createWebhook(webhooks, urls, clock),
    listWebhooks(webhooks),
    showWebhook(webhooks),
    updateWebhook(webhooks, urls),
    deleteWebhook(webhooks),
    rotateWebhookSecret(webhooks),
    ...deliveryRoutes(webhookDeliveries),
  ];
}

/** POST /v1/webhooks: registers an endpoint (docs/contract/webhooks.md#endpoint). */
function createWebhook(webhooks: WebhookStore, urls: EndpointUrls, clock: Clock): Route {
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
        authorization: Type.Optional(authorization),
      },
      { title: 'WebhookRequest' },
    ),
    checkBody: (body) => urls.problems(body),
    checkRefused: (valid) => urls.resolvedProblems(valid),
    data: NewWebhookSchema,
    async handle({ body, change }) {
      await urls.requirePublic(body);
      const secret = newSigningSecret();
      const webhook = {
        description: '',
        referencedOnly: false,
        ...body,
        id: newSortableId(clock.now()),
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

/** GET /v1/webhooks: lists the endpoints of the client (docs/contract/webhooks.md#endpoint). */
function listWebhooks(store: WebhookStore): Route {
  return route({
    ...WEBHOOK_ROUTE,
    operationId: 'listWebhooks',
    method: 'GET',
    path: '/v1/webhooks',
    summary: 'List webhooks',
    description: 'Those of the mode of the token, newest first.',
    query: Type.Object(pageMembers),
    data: paginated(WebhookSchema, 'WebhookPage'),
    async handle({ query, caller }) {
      const { webhooks, total } = await store.list(caller!, rangeOf(query));
      return pageResponse(webhooks.map(shownWebhook), total, query);
    },
  });
}

/** GET /v1/webhooks/{id} (docs/contract/webhooks.md#endpoint). */
function showWebhook(webhooks: WebhookStore): Route {
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

/** PATCH /v1/webhooks/{id} (docs/contract/webhooks.md#edits). */
function updateWebhook(webhooks: WebhookStore, urls: EndpointUrls): Route {
  return route({
    ...WEBHOOK_ROUTE,
    operationId: 'updateWebhook',
    method: 'PATCH',
    path: '/v1/webhooks/{id}',
    summary: 'Change, disable or enable a webhook',
    description:
      'Members that are not sent stay as they are. Messages that are waiting go to a new `url`. One on another host needs `authorization`, too, if the webhook has one; otherwise the response is 409 `conflict`. While a webhook is disabled, changes are not sent; once it is enabled, it gets those from then on. One that the licensor disabled gets 409 `conflict`.',
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
        authorization: Type.Optional(authorization),
        enabled: Type.Optional(flag('Whether messages are sent.', true)),
      },
      { title: 'WebhookEdit' },
    ),
    checkBody: (body) => [...refuseEmpty(body), ...urls.problems(body)],
    checkRefused: (valid) => urls.resolvedProblems(valid),
    data: WebhookSchema,
    async handle({ params, body, requireVersion, change }) {
      await urls.requirePublic(body);
      return change(
        (context) => webhooks.update(params.id.toLowerCase(), body, requireVersion, context),
        webhookResponse,
      );
    },
  });
}

/** DELETE /v1/webhooks/{id} (docs/contract/webhooks.md#edits). */
function deleteWebhook(webhooks: WebhookStore): Route {
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

/** POST /v1/webhooks/{id}/rotate-secret (docs/contract/webhooks.md#rotation). */
function rotateWebhookSecret(webhooks: WebhookStore): Route {
  return route({
    ...WEBHOOK_ROUTE,
    operationId: 'rotateSecret',
    method: 'POST',
    path: '/v1/webhooks/{id}/rotate-secret',
    summary: 'Replace the secret of a webhook',
    description:
      'For 24 hours, messages are signed with the former secret, too, so that you can change your server in between. A fourth rotation within this time gets 409 `conflict`, unless it revokes all earlier secrets.',
    errors: ['not_found', 'conflict'],
    params: Type.Object(webhookParams),
    idempotent: true,
    secretMembers: ['secret'],
    body: Type.Object(
      {
        revokePrevious: Type.Optional(
          flag('Whether all earlier secrets end at once, because one has leaked.', false, {
            default: false,
          }),
        ),
      },
      { title: 'SecretRotation' },
    ),
    emptyBody: true,
    data: Type.Object(
      {
        secret: Type.Optional(secretMember),
        previousValidUntil: timestampOrNull({
          description: 'Until when the former secret signs, too; null if it was revoked.',
          examples: ['2026-11-21T16:05:12.345Z'],
        }),
      },
      { title: 'RotatedSecret' },
    ),
    handle({ params, body, change }) {
      const secret = newSigningSecret();
      const rotation = { secret, revokePrevious: body.revokePrevious ?? false };
      return change(
        (context) => webhooks.rotateSecret(params.id.toLowerCase(), rotation, context),
        ({ previousValidUntil: until }) => ({
          data: {
            secret: shownSigningSecret(secret),
            previousValidUntil: isoOrNull(until),
          },
        }),
      );
    },
  });
}

/** Checks the URLs of endpoints in requests (docs/contract/webhooks.md#addresses). */
export class EndpointUrls {
  readonly #targets: Targets;
  readonly #resolver: Resolver;

  constructor({ targets, resolver }: { targets: Targets; resolver: Resolver }) {
    this.#targets = targets;
    this.#resolver = resolver;
  }

  /** Returns what is wrong with the `url` of a body, without resolving its name. */
  problems({ url: text }: { url?: string | undefined }): FieldProblem[] {
    const parsed = text === undefined ? null : parseEndpointUrl(text, this.#targets);
    return typeof parsed === 'string' ? [problem(parsed)] : [];
  }

  /** Returns the problem of a URL whose name has addresses that are not public, or none. */
  async resolvedProblems({ url: text }: { url?: string | undefined }): Promise<FieldProblem[]> {
    if (text === undefined) return [];
    const found = await endpointUrlProblem(text, this.#targets, this.#resolver);
    return found === null ? [] : [problem(found)];
  }

  /** Throws `invalid_request` if the name in the URL of a body has addresses that are not public, or none. */
  async requirePublic(body: { url?: string | undefined }): Promise<void> {
    const problems = await this.resolvedProblems(body);
    if (problems.length > 0) throw invalidRequest(problems);
  }
}

function problem(rule: string): FieldProblem {
  return { field: 'url', message: `url ${rule}` };
}

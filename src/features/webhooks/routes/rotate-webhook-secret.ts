import Type from 'typebox';
import { timestampOrNull } from '../../../common/schema-types.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { newSigningSecret, shownSigningSecret } from '../../../engines/net/signature.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { secretMember, WEBHOOK_ROUTE, webhookParams } from './webhook-schema.ts';

/** POST /v1/webhooks/{id}/rotate-secret (docs/contract/webhooks.md#rotation). */
export function rotateWebhookSecret({
  webhooks,
}: {
  webhooks: Pick<WebhookStore, 'rotateSecret'>;
}): Route {
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
          Type.Boolean({
            default: false,
            description: 'Whether all earlier secrets end at once, because one has leaked.',
            examples: [false],
          }),
        ),
      },
      { title: 'SecretRotation' },
    ),
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
            previousValidUntil: until === null ? null : new Date(until).toISOString(),
          },
        }),
      );
    },
  });
}

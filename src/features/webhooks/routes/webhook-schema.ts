import Type from 'typebox';
import {
  flag,
  integer,
  oneOf,
  openEnum,
  text,
  timestamp,
  uuid,
} from '../../../common/schema-types.ts';
import type { RouteAccess } from '../../../engines/http/route/route.ts';
import { freeText } from '../../../engines/http/schemas.ts';
import { MAX_URL_LENGTH } from '../../../engines/net/endpoint-url.ts';
import { EVENT_TYPES, type Webhook } from '../webhook.ts';

/** The longest `Authorization` header of messages: longer than a usual JWT. */
const MAX_AUTHORIZATION_LENGTH = 2_000;

const ACCESS: RouteAccess = { scope: 'webhooks', feature: 'webhooks' };

export const WEBHOOK_ROUTE = { tag: 'Webhooks', access: ACCESS } as const;

export const webhookParams = {
  id: text('The id of the webhook, in either case.', '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41'),
};

const members = {
  id: uuid({ examples: ['0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41'] }),
  url: Type.String({ examples: ['https://partner.example.com/hooks/stave'] }),
  eventTypes: Type.Array(openEnum(EVENT_TYPES), {
    description: 'The types of events that it gets.',
    examples: [['track.created', 'track.taken_down']],
  }),
  description: Type.String({ examples: ['Catalog of the web player'] }),
  referencedOnly: flag(
    'Whether it gets changes of existing tracks only if you refer to the track.',
    false,
  ),
  hasAuthorization: flag('Whether messages have the header `Authorization` that you gave.', false),
  enabled: Type.Boolean({ examples: [true] }),
  disabledReason: Type.Unsafe<Webhook['disabledReason']>({
    type: ['string', 'null'],
    'x-extensible-enum': ['gone', 'failing', 'operator'],
    description:
      '`gone`: your server responded with 410. `failing`: it failed for 72 hours. `operator`: the licensor disabled it. Null if it is enabled, or you disabled it.',
    examples: [null],
  }),
  version: integer('The number of the edit, which `ETag` names.', 1, { minimum: 1 }),
  createdAt: timestamp({ examples: ['2026-11-02T09:30:00.000Z'] }),
  updatedAt: timestamp({ examples: ['2026-11-20T16:05:12.345Z'] }),
};

/** See docs/contract/webhooks.md#endpoint. */
export const WebhookSchema = Type.Object(members, {
  title: 'Webhook',
  description: 'A URL of yours to which messages about changes are sent.',
});

/** See docs/contract/webhooks.md#signature. */
export const secretMember = text(
  'The secret that signs the messages. It is shown only once.',
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
);

/** The response to a repeated request has no secret. */
export const NewWebhookSchema = Type.Object(
  { ...members, secret: Type.Optional(secretMember) },
  { title: 'NewWebhook' },
);

export const webhookBody = {
  url: Type.String({
    minLength: 1,
    maxLength: MAX_URL_LENGTH,
    description: 'An https URL whose host has only public addresses, without user and fragment.',
    examples: ['https://partner.example.com/hooks/stave'],
  }),
  eventTypes: Type.Array(oneOf(EVENT_TYPES), {
    minItems: 1,
    uniqueItems: true,
    description: 'The types of events that it gets, in any order.',
    examples: [['track.created', 'track.taken_down']],
  }),
  description: freeText({
    description: 'A text for you.',
    examples: ['Catalog of the web player'],
  }),
  referencedOnly: flag(
    'Whether `track.updated`, `track.taken_down` and `track.restored` are sent only for tracks in a playlist, a collection or a license of yours.',
    false,
  ),
  authorization: Type.String({
    maxLength: MAX_AUTHORIZATION_LENGTH,
    pattern: '^(?:[!-~](?:[ -~]*[!-~])?)?$',
    'x-rule': `have at most ${MAX_AUTHORIZATION_LENGTH} printable ASCII characters, and no space at its ends`,
    'x-removable': true,
    description:
      'The header `Authorization` of each message, for servers that require one. It is stored encrypted and never shown. An empty text removes it.',
    examples: ['Bearer 8c1f5e0a'],
  }),
};

export function shownWebhook({ createdAt, updatedAt, ...webhook }: Webhook) {
  return {
    ...webhook,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
}

export function webhookResponse(webhook: Webhook) {
  return { data: shownWebhook(webhook), version: webhook.version };
}

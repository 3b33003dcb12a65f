import Type from 'typebox';
import { ALL_SCOPES, FEATURES, MODES } from '../../../common/caller.ts';
import { oneOf, timestamp } from '../../../common/schema-types.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { WINDOW_SECONDS } from '../../../engines/limits/rate-limiter.ts';

const MeSchema = Type.Object(
  {
    clientId: Type.String({ examples: ['5f0c8c0e-9d0b-4a51-9c55-0f3c2c6f9a11'] }),
    name: Type.String({
      description: 'The name that the operator gave the client.',
      examples: ['Lindt Radio'],
    }),
    mode: oneOf(MODES),
    scopes: Type.Array(oneOf(ALL_SCOPES), {
      description: 'The scopes of the token that the client still holds.',
      examples: [['search', 'tracks']],
    }),
    features: Type.Array(oneOf(FEATURES), {
      description: 'The contract features that are on for the client.',
      examples: [[]],
    }),
    rateLimit: Type.Object({
      limit: Type.Integer({ description: 'Requests in a window.', minimum: 1, examples: [600] }),
      windowSeconds: Type.Integer({ examples: [WINDOW_SECONDS] }),
    }),
    account: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The account of the client. Clients of one account can share collections.',
      examples: ['Lindt Media'],
    }),
    tokenExpiresAt: timestamp(),
  },
  { title: 'Me' },
);

/** GET /v1/me: shows the client and the scopes of the token. */
export function meRoute(): Route {
  return route({
    operationId: 'readMe',
    method: 'GET',
    path: '/v1/me',
    tag: 'Authentication',
    summary: 'Show what the token may do',
    description: 'Needs no scope: every valid token may call it.',
    access: 'any-token',
    errors: [],
    data: MeSchema,
    handle({ caller }) {
      const me = caller!;
      return {
        data: {
          clientId: me.clientId,
          name: me.name,
          mode: me.mode,
          scopes: [...me.scopes].sort(),
          features: [...me.features].sort(),
          rateLimit: { limit: me.rateLimit, windowSeconds: WINDOW_SECONDS },
          account: me.account,
          tokenExpiresAt: new Date(me.tokenExpiresAt).toISOString(),
        },
      };
    },
  });
}

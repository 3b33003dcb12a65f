import Type from 'typebox';
import { MODES } from '../../../common/caller.ts';
import { oneOf } from '../../../common/schema-types.ts';
import { TOKEN_SECONDS } from '../token-issuer.ts';

export const FORM = 'application/x-www-form-urlencoded';

/**
 * Any object, so that the handler sees every request and reports all its problems together. The
 * required members depend on the `Authorization` header.
 */
export const AnyMembers = Type.Unsafe<Record<string, unknown>>(
  Type.Object({}, { additionalProperties: true }),
);

/** The members that the handler reads. */
export const TokenRequestSchema = Type.Object(
  {
    grant_type: oneOf(['client_credentials']),
    client_id: Type.Optional(
      Type.String({ description: 'Required, unless HTTP Basic carries it.', minLength: 1 }),
    ),
    client_secret: Type.Optional(
      Type.String({
        description: 'Required, unless HTTP Basic carries it. Decides between test and live mode.',
        minLength: 1,
      }),
    ),
    scope: Type.Optional(
      Type.String({
        description:
          'Scopes separated by spaces, to narrow the token, such as `search tracks`; every scope of the client by default.',
      }),
    ),
  },
  {
    title: 'TokenRequest',
    examples: [
      {
        grant_type: 'client_credentials',
        client_id: '5f0c8c0e-9d0b-4a51-9c55-0f3c2c6f9a11',
        client_secret: 'stave_test_…',
      },
    ],
  },
);

/** The members of RFC 6749 §5.1. */
const members = {
  access_token: Type.String({
    description: 'Send it as `Authorization: Bearer <token>`.',
    examples: ['eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCIs…'],
  }),
  token_type: Type.Unsafe<'Bearer'>({ type: 'string', const: 'Bearer' }),
  expires_in: Type.Integer({ description: 'Seconds.', examples: [TOKEN_SECONDS] }),
  scope: Type.String({
    description: 'What the token may do, separated by spaces.',
    examples: ['search tracks'],
  }),
};

/** `data` of POST /v1/auth/token. */
export const AccessTokenSchema = Type.Object(
  {
    ...members,
    mode: oneOf(MODES, { description: 'The mode of the secret, and thereby of the token.' }),
  },
  { title: 'AccessToken' },
);

/** The response of POST /oauth/token. */
export const OAuthTokenSchema = Type.Object(members, { title: 'OAuthToken' });

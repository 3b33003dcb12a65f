import Type from 'typebox';
import { MODES, type Scope } from '../../access/client.ts';
import { type AuthenticatedClient, checkCredentials } from '../../access/credentials.ts';
import type { GuessLimiter } from '../../access/guess-limiter.ts';
import type { ClientRegistry } from '../../access/registry.ts';
import { TOKEN_SECONDS, type TokenIssuer } from '../../access/token-issuer.ts';
import { StaveError } from '../../kernel/errors.ts';
import { API_VERSION } from '../../kernel/version.ts';
import { NO_ERROR } from '../envelope.ts';
import { type Route, route } from '../route.ts';
import { oneOf } from '../schemas/fields.ts';
import { isBasic } from './basic-credentials.ts';
import { grantScopes } from './grant-scopes.ts';
import { readTokenRequest, type TokenRequest } from './token-request.ts';

const FORM = 'application/x-www-form-urlencoded';

/** Not to be kept by anything on the way (RFC 6749 §5.1). */
const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

/**
 * Any object, so that the handler sees every request and reports all its problems at once: what is
 * required depends on the `Authorization` header.
 */
const AnyMembers = Type.Unsafe<Record<string, unknown>>(
  Type.Object({}, { additionalProperties: true }),
);

/** What the handler asks of those members. */
const TokenRequestSchema = Type.Object(
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

const AccessTokenSchema = Type.Object(
  {
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
    mode: oneOf(MODES, { description: 'Bound to the secret, and so to the token.' }),
  },
  { title: 'AccessToken' },
);

/** What the token endpoint works with. */
export interface TokenDependencies {
  registry: ClientRegistry;
  issuer: TokenIssuer;
  guesses: GuessLimiter;
  /**
   * Brings the registry up to the end of the change log. Asked for before any credentials are
   * refused, whosever they are, so that a client can use what it was given a moment ago.
   */
  catchUp(): Promise<void>;
}

/** POST /v1/auth/token: client credentials in, access token out (RFC 6749 §4.4; decisions §2). */
export function tokenRoute(deps: TokenDependencies): Route {
  return route({
    operationId: 'createToken',
    method: 'POST',
    path: '/v1/auth/token',
    version: API_VERSION,
    tag: 'Authentication',
    summary: 'Get an access token',
    description:
      'Exchanges client credentials for an access token of one hour. The credentials go into the body, as JSON or as a form, or into HTTP Basic; never into two of them at once. A form is answered with the members of RFC 6749 at the top level too, so that stock OAuth clients work unchanged. Failures are limited by address; the right secret is never refused.',
    access: 'public',
    errors: ['unsupported_grant_type', 'invalid_client', 'invalid_scope', 'rate_limited'],
    body: AnyMembers,
    documentedBody: TokenRequestSchema,
    consumes: ['application/json', FORM],
    data: AccessTokenSchema,
    async handle({ body, headers, address }) {
      const { authorization } = headers;
      const basic = typeof authorization === 'string' ? authorization : undefined;
      const form = /^application\/x-www-form-urlencoded *(?:;|$)/i.test(
        String(headers['content-type'] ?? ''),
      );
      const request = readTokenRequest(body, basic);
      const authenticated = await authenticate(deps, request, {
        address,
        challenge: form || isBasic(basic),
      });
      const scopes = grantScopes(authenticated.client.scopes, request.scope);
      const data = await accessToken(deps.issuer, authenticated, scopes);
      if (!form) {
        return { data, headers: NO_STORE };
      }
      const { mode: _, ...members } = data;
      const envelope = { data, error: NO_ERROR, ...members };
      return { envelope: Buffer.from(JSON.stringify(envelope)), headers: NO_STORE };
    },
  });
}

async function authenticate(
  { registry, guesses, catchUp }: TokenDependencies,
  { clientId, secret }: TokenRequest,
  { address, challenge }: { address: string; challenge: boolean },
): Promise<AuthenticatedClient> {
  let authenticated = checkCredentials({ registry, clientId, secret });
  if (authenticated === undefined) {
    await catchUp();
    authenticated = checkCredentials({ registry, clientId, secret });
  }
  if (authenticated !== undefined) {
    return authenticated;
  }
  const waitSeconds = guesses.fail(address, clientId);
  if (waitSeconds !== undefined) {
    throw new StaveError(
      'rate_limited',
      'Too many failed attempts came from this address; wait for Retry-After seconds.',
      { headers: { 'Retry-After': String(waitSeconds) } },
    );
  }
  throw new StaveError(
    'invalid_client',
    'The client id and the secret do not belong together, or no longer; check both.',
    challenge ? { headers: { 'WWW-Authenticate': 'Basic realm="stave"' } } : {},
  );
}

async function accessToken(
  issuer: TokenIssuer,
  authenticated: AuthenticatedClient,
  scopes: readonly Scope[],
) {
  return {
    access_token: await issuer.issue({ ...authenticated, scopes }),
    token_type: 'Bearer',
    expires_in: TOKEN_SECONDS,
    scope: scopes.join(' '),
    mode: authenticated.mode,
  };
}

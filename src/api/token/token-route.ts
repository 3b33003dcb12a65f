import Type from 'typebox';
import { MODES, type Scope } from '../../access/client.ts';
import { type AuthenticatedClient, checkCredentials } from '../../access/credentials.ts';
import type { GuessLimiter } from '../../access/guess-limiter.ts';
import type { ClientRegistry } from '../../access/registry.ts';
import { TOKEN_SECONDS, type TokenIssuer } from '../../access/token-issuer.ts';
import { StaveError } from '../../kernel/errors.ts';
import { API_VERSION } from '../../kernel/version.ts';
import { type Route, route } from '../route.ts';
import { oneOf } from '../schemas/fields.ts';
import { isBasic } from './basic-credentials.ts';
import { grantScopes } from './grant-scopes.ts';
import { readTokenRequest, type TokenRequest } from './token-request.ts';

const FORM = 'application/x-www-form-urlencoded';

/** Not to be kept by anything on the way (RFC 6749 §5.1). */
const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

/**
 * The members say nothing of types, and none is required, so that the handler sees every request and
 * reports all its problems at once: what is required depends on the `Authorization` header.
 */
const TokenRequestSchema = Type.Object(
  {
    grant_type: Type.Optional(
      Type.Unknown({
        description: 'String, required: `client_credentials`.',
        examples: ['client_credentials'],
      }),
    ),
    client_id: Type.Optional(
      Type.Unknown({
        description: 'String, required unless HTTP Basic carries it.',
        examples: ['5f0c8c0e-9d0b-4a51-9c55-0f3c2c6f9a11'],
      }),
    ),
    client_secret: Type.Optional(
      Type.Unknown({
        description:
          'String, required unless HTTP Basic carries it. Decides between test and live mode.',
        examples: ['stave_test_…'],
      }),
    ),
    scope: Type.Optional(
      Type.Unknown({
        description: 'String, optional: scopes separated by spaces, to narrow the token.',
        examples: ['search tracks'],
      }),
    ),
  },
  { title: 'TokenRequest', additionalProperties: true },
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
    body: TokenRequestSchema,
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
      const envelope = { data, error: { code: 0, message: 'OK' }, ...members };
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

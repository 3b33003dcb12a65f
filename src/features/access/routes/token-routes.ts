import Type from 'typebox';
import { ALL_SCOPES, FEATURES, MODES, type Scope, SEAT_ROLES } from '../../../common/caller.ts';
import { type NamedClient, StaveError } from '../../../common/errors.ts';
import { oneOf, openEnum, text, textOrNull, timestamp } from '../../../common/schema-types.ts';
import { didYouMean } from '../../../common/text/explain.ts';
import { OAUTH_TOKEN_PATH } from '../../../engines/http/response/envelope.ts';
import { type ApiRequest, type Route, route } from '../../../engines/http/route/route.ts';
import { WINDOW_SECONDS } from '../../../engines/limits/rate-limiter.ts';
import type { RequestCounter } from '../client-requests.ts';
import { type AuthenticatedClient, checkCredentials, namedClient } from '../credentials.ts';
import type { LoginThrottle } from '../login-throttle.ts';
import type { ClientRegistry } from '../registry.ts';
import { TOKEN_SECONDS, type TokenIssuer } from '../tokens.ts';
import {
  clientNamedIn,
  isBasic,
  readTokenRequest,
  type TokenRequest,
  tokenRequestProblems,
} from './token-request.ts';

const FORM = 'application/x-www-form-urlencoded';

/**
 * Any object, so that `checkBody` reports all problems of a request together. The required members depend on the
 * `Authorization` header.
 */
const AnyMembers = Type.Unsafe<Record<string, unknown>>(
  Type.Object({}, { additionalProperties: true }),
);

/** The members that the handler reads. */
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

/** The members of RFC 6749 §5.1. */
export const tokenMembers = {
  access_token: text(
    'Send it as `Authorization: Bearer <token>`.',
    'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCIs…',
  ),
  token_type: Type.Unsafe<'Bearer'>({ type: 'string', const: 'Bearer' }),
  expires_in: Type.Integer({ description: 'Seconds.', examples: [TOKEN_SECONDS] }),
  scope: text('What the token may do, separated by spaces.', 'search tracks'),
};

const AccessTokenSchema = Type.Object(
  {
    ...tokenMembers,
    mode: oneOf(MODES, { description: 'The mode of the secret, and thereby of the token.' }),
  },
  { title: 'AccessToken' },
);

const OAuthTokenSchema = Type.Object(tokenMembers, { title: 'OAuthToken' });

/** A scope-token of RFC 6749 §3.3. */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/;

/**
 * Returns the scopes of a token in alphabetical order: all scopes of the client, or the requested
 * ones. Throws invalid_scope if the client lacks a requested one.
 */
export function grantScopes(held: ReadonlySet<Scope>, asked: string | undefined): Scope[] {
  if (asked === undefined) return [...held].sort();
  const words = new Set(asked.split(' ').filter((word) => word !== ''));
  const refused = [...words].filter((word) => !held.has(word as Scope));
  if (words.size === 0) {
    throw new StaveError(
      'invalid_scope',
      'The scope names nothing; leave it out to get every scope that the client holds.',
    );
  }
  if (refused.length > 0) {
    const message = asked.includes(',')
      ? 'The scopes must be separated by spaces, not by commas.'
      : 'The client does not hold every scope asked for.';
    throw new StaveError('invalid_scope', message, {
      details: refused
        .slice(0, 20)
        .map((word) => ({ field: 'scope', message: refusal(word, held) })),
    });
  }
  return ([...words] as Scope[]).sort();
}

function refusal(word: string, held: ReadonlySet<Scope>): string {
  if (!SCOPE_TOKEN.test(word) || word.includes(',')) {
    return 'scope must be names of scopes, separated by spaces';
  }
  return `"${word}" is not a scope of this client${didYouMean(word, held)}`;
}

export interface TokenDependencies {
  registry: ClientRegistry;
  issuer: TokenIssuer;
  loginThrottle: LoginThrottle;
  requestCounter?: Pick<RequestCounter, 'used'> | undefined;
  /**
   * Brings the registry up to the end of the change log. Called before credentials are refused, so that a client can use
   * new ones at once.
   */
  catchUp(): Promise<void>;
}

/** Forbids caches to store the response (RFC 6749 §5.1). */
export const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

/** Where a token is requested. */
interface TokenPlace extends Pick<ApiRequest, 'address' | 'note'> {
  /** Whether a refusal carries a challenge for HTTP Basic. */
  challenge: boolean;
}

/**
 * Issues a token for the client whose credentials the request carries. Rejects with invalid_client,
 * rate_limited or invalid_scope.
 */
async function grantToken(deps: TokenDependencies, request: TokenRequest, place: TokenPlace) {
  const authenticated = await authenticate(deps, request, place);
  const { client, secretId } = authenticated;
  place.note({ clientId: client.id, secretId });
  deps.requestCounter?.used({ clientId: client.id, secretId });
  const scopes = grantScopes(client.scopes, request.scope);
  return {
    access_token: await deps.issuer.issue({ ...authenticated, scopes }),
    token_type: 'Bearer' as const,
    expires_in: TOKEN_SECONDS,
    scope: scopes.join(' '),
    mode: authenticated.mode,
  };
}

/** Returns the client of an id and a secret. Rejects with invalid_client, or rate_limited after many failures. */
export async function authenticate(
  deps: TokenDependencies,
  { clientId, secret }: TokenRequest,
  { address, challenge }: TokenPlace,
): Promise<AuthenticatedClient> {
  const { registry, catchUp } = deps;
  let authenticated = checkCredentials({ registry, clientId, secret });
  if (authenticated === undefined) {
    await catchUp();
    authenticated = checkCredentials({ registry, clientId, secret });
  }
  if (authenticated !== undefined) return authenticated;
  const client = namedClient(registry, { clientId, secret });
  throw (
    tooManyFailures(deps, address, clientId, client) ??
    new StaveError(
      'invalid_client',
      'The client id and the secret do not belong together, or no longer; check both.',
      { client, headers: challenge ? { 'WWW-Authenticate': 'Basic realm="stave"' } : {} },
    )
  );
}

/** Counts a failure. Returns the error if there were too many from the address for the subject. */
export function tooManyFailures(
  { loginThrottle }: Pick<TokenDependencies, 'loginThrottle'>,
  address: ApiRequest['address'],
  subject: string,
  client?: NamedClient,
): StaveError | undefined {
  const waitSeconds = loginThrottle.fail(address(), subject);
  if (waitSeconds === undefined) return undefined;
  return new StaveError(
    'rate_limited',
    'Too many failed attempts came from this address; wait for Retry-After seconds.',
    { client, headers: { 'Retry-After': String(waitSeconds) } },
  );
}

const TOKEN_ROUTE = {
  method: 'POST',
  tag: 'Authentication',
  access: 'public',
  errors: ['unsupported_grant_type', 'invalid_client', 'invalid_scope', 'rate_limited'],
  body: AnyMembers,
  documentedBody: TokenRequestSchema,
  checkBody: (body: Record<string, unknown>, { authorization }: ApiRequest['headers']) =>
    tokenRequestProblems(body, authorization),
  clientOf: (body: unknown, { authorization }: ApiRequest['headers']) =>
    clientNamedIn(body, authorization),
} as const;

/**
 * POST /v1/auth/token: exchanges client credentials for an access token (RFC 6749 §4.4;
 * docs/contract/authentication.md#token-request).
 */
export function tokenRoute(deps: TokenDependencies): Route {
  return route({
    ...TOKEN_ROUTE,
    operationId: 'createToken',
    path: '/v1/auth/token',
    summary: 'Get an access token',
    description:
      'Exchanges client credentials for an access token of one hour. The credentials are in the body, as JSON or as a form, or in HTTP Basic, but not in both. OAuth libraries use `POST /oauth/token` instead, whose response has no envelope. Failed attempts are limited by address; valid credentials are never refused.',
    consumes: ['application/json', FORM],
    data: AccessTokenSchema,
    async handle({ body, headers, address, note }) {
      const { authorization } = headers;
      const form = /^application\/x-www-form-urlencoded *(?:;|$)/i.test(
        String(headers['content-type'] ?? ''),
      );
      const request = readTokenRequest(body, authorization);
      const data = await grantToken(deps, request, {
        ...{ address, note },
        // A challenge on a JSON request would make browsers open their login dialog.
        challenge: form || isBasic(authorization),
      });
      return { data, headers: NO_STORE };
    },
  });
}

/**
 * POST /oauth/token: the token endpoint for stock OAuth clients (RFC 6749 §4.4 and §5;
 * docs/contract/authentication.md#oauth-libraries).
 */
export function oauthTokenRoute(deps: TokenDependencies): Route {
  return route({
    ...TOKEN_ROUTE,
    operationId: 'createOAuthToken',
    path: OAUTH_TOKEN_PATH,
    summary: 'Get an access token with an OAuth library',
    description:
      'Gives the same token for the same credentials as `POST /v1/auth/token`, in the form that OAuth libraries expect (RFC 6749 §4.4 and §5). The body is a form; the credentials are in it (`client_secret_post`) or in HTTP Basic (`client_secret_basic`). The response has no envelope: a success has the members of §5.1, and every error, whatever its status, has `error`, `error_description` and `error_uri` (§5.2). If §5.2 has no code for an error, the code is `invalid_request` for other faults of the request, `temporarily_unavailable` for 429 and 503, which carry `Retry-After`, and `server_error` for 500. Only malformed HTTP gets a response with the envelope.',
    consumes: [FORM],
    data: OAuthTokenSchema,
    withoutEnvelope: true,
    async handle({ body, headers: { authorization }, address, note }) {
      const request = readTokenRequest(body, authorization);
      const place = { address, note, challenge: true };
      const { mode: _, ...token } = await grantToken(deps, request, place);
      return { data: token, headers: NO_STORE };
    },
  });
}

const words = (description: string, examples: string[]) =>
  Type.Array(Type.String(), { description, examples: [examples] });

const AuthorizationServerSchema = Type.Object(
  {
    issuer: Type.String({ format: 'uri', description: 'The base address of this service.' }),
    authorization_endpoint: Type.String({
      format: 'uri',
      description:
        'A page that says that nobody can log in here; some libraries refuse metadata without this member.',
    }),
    token_endpoint: Type.String({
      format: 'uri',
      description: 'The address of `POST /oauth/token`.',
    }),
    token_endpoint_auth_methods_supported: words('How a client may authenticate.', [
      'client_secret_basic',
      'client_secret_post',
    ]),
    grant_types_supported: words('The grants that the token endpoint knows.', [
      'client_credentials',
    ]),
    response_types_supported: Type.Array(Type.String(), {
      description: 'Empty: nobody can log in with a browser.',
    }),
    scopes_supported: words('Every scope that a client can hold.', ['search', 'tracks']),
    service_documentation: Type.String({ format: 'uri', description: 'A page for people.' }),
  },
  { title: 'AuthorizationServer' },
);

/**
 * GET /.well-known/oauth-authorization-server: tells OAuth libraries the token endpoint (RFC 8414).
 */
export function oauthMetadataRoute({
  publicUrl,
}: {
  /** The base of the service's own URLs, without a trailing slash. */
  publicUrl: () => string;
}): Route {
  return route({
    operationId: 'readOAuthMetadata',
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    tag: 'Authentication',
    summary: 'Describe the token endpoint to an OAuth library',
    description:
      'Authorization server metadata (RFC 8414), with which an OAuth library configures itself. The response has no envelope. If the service has a path on its host, libraries request this document at the root of the host, with that path at the end (RFC 8414 §3.1); the proxy must forward this request.',
    access: 'public',
    data: AuthorizationServerSchema,
    withoutEnvelope: true,
    handle() {
      const issuer = publicUrl();
      return {
        data: {
          issuer,
          authorization_endpoint: `${issuer}/docs/agents`,
          token_endpoint: `${issuer}${OAUTH_TOKEN_PATH}`,
          token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
          grant_types_supported: ['client_credentials'],
          response_types_supported: [],
          scopes_supported: ALL_SCOPES,
          service_documentation: `${issuer}/docs`,
        },
      };
    },
  });
}

const MeSchema = Type.Object(
  {
    clientId: Type.String({ examples: ['5f0c8c0e-9d0b-4a51-9c55-0f3c2c6f9a11'] }),
    name: text('The name that the operator gave the client.', 'Lindt Radio'),
    mode: oneOf(MODES),
    scopes: Type.Array(openEnum(ALL_SCOPES), {
      description: 'The scopes of the token that the client still holds.',
      examples: [['search', 'tracks']],
    }),
    features: Type.Array(openEnum(FEATURES), {
      description: 'The contract features that are on for the client.',
      examples: [[]],
    }),
    rateLimit: Type.Object({
      limit: Type.Integer({ description: 'Requests in a window.', minimum: 1, examples: [600] }),
      windowSeconds: Type.Integer({ examples: [WINDOW_SECONDS] }),
    }),
    account: textOrNull(
      'The account of the client. Clients of one account can share collections.',
      'Lindt Media',
    ),
    tokenExpiresAt: timestamp(),
    seat: Type.Union(
      [
        Type.Object(
          {
            id: Type.String({ examples: ['0199c0de-7000-7000-8000-00000000ab01'] }),
            name: text('The name that the operator gave the seat.', 'Ana'),
            role: openEnum(SEAT_ROLES),
          },
          { title: 'Seat' },
        ),
        Type.Null(),
      ],
      { description: 'The seat whose session gave the token; null for any other token.' },
    ),
  },
  { title: 'Me' },
);

export function meRoute(): Route {
  return route({
    operationId: 'readMe',
    method: 'GET',
    path: '/v1/me',
    tag: 'Authentication',
    summary: 'Show what the token may do',
    description: 'Needs no scope: every valid token may call it.',
    access: 'any-token',
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
          seat: me.seat,
        },
      };
    },
  });
}

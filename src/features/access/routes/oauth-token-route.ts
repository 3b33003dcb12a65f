import { API_VERSION } from '../../../common/version.ts';
import { OAUTH_TOKEN_PATH } from '../../../engines/http/response/envelope.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { grantToken, NO_STORE, type TokenDependencies } from './grant-token.ts';
import { readTokenRequest, tokenRequestProblems } from './token-request.ts';
import { AnyMembers, FORM, OAuthTokenSchema, TokenRequestSchema } from './token-schemas.ts';

/**
 * POST /oauth/token: the token endpoint for stock OAuth clients (RFC 6749 §4.4 and §5;
 * docs/contract/authentication.md#oauth-libraries).
 */
export function oauthTokenRoute(deps: TokenDependencies): Route {
  return route({
    operationId: 'createOAuthToken',
    method: 'POST',
    path: OAUTH_TOKEN_PATH,
    version: API_VERSION,
    tag: 'Authentication',
    summary: 'Get an access token with an OAuth library',
    description:
      'Gives the same token for the same credentials as `POST /v1/auth/token`, in the form that OAuth libraries expect (RFC 6749 §4.4 and §5). The body is a form; the credentials are in it (`client_secret_post`) or in HTTP Basic (`client_secret_basic`). The response has no envelope: a success has the members of §5.1, and every error, whatever its status, has `error`, `error_description` and `error_uri` (§5.2). If §5.2 has no code for an error, the code is `invalid_request` for other faults of the request, `temporarily_unavailable` for 429 and 503, which carry `Retry-After`, and `server_error` for 500. Only malformed HTTP gets a response with the envelope.',
    access: 'public',
    errors: ['unsupported_grant_type', 'invalid_client', 'invalid_scope', 'rate_limited'],
    body: AnyMembers,
    documentedBody: TokenRequestSchema,
    checkBody: (body, { authorization }) => tokenRequestProblems(body, authorization),
    consumes: [FORM],
    data: OAuthTokenSchema,
    withoutEnvelope: true,
    async handle({ body, headers: { authorization }, address }) {
      const request = readTokenRequest(body, authorization);
      const { mode: _, ...token } = await grantToken(deps, request, { address, challenge: true });
      return { data: token, headers: NO_STORE };
    },
  });
}

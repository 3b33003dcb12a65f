import { API_VERSION } from '../../../common/version.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { isBasic } from './basic-credentials.ts';
import { grantToken, NO_STORE, type TokenDependencies } from './grant-token.ts';
import { readTokenRequest, tokenRequestProblems } from './token-request.ts';
import { AccessTokenSchema, AnyMembers, FORM, TokenRequestSchema } from './token-schemas.ts';

/**
 * POST /v1/auth/token: exchanges client credentials for an access token (RFC 6749 §4.4;
 * docs/contract/authentication.md#token-request).
 */
export function tokenRoute(deps: TokenDependencies): Route {
  return route({
    operationId: 'createToken',
    method: 'POST',
    path: '/v1/auth/token',
    version: API_VERSION,
    tag: 'Authentication',
    summary: 'Get an access token',
    description:
      'Exchanges client credentials for an access token of one hour. The credentials are in the body, as JSON or as a form, or in HTTP Basic, but not in both. OAuth libraries use `POST /oauth/token` instead, whose response has no envelope. Failed attempts are limited by address; valid credentials are never refused.',
    access: 'public',
    errors: ['unsupported_grant_type', 'invalid_client', 'invalid_scope', 'rate_limited'],
    body: AnyMembers,
    documentedBody: TokenRequestSchema,
    checkBody: (body, { authorization }) => tokenRequestProblems(body, authorization),
    consumes: ['application/json', FORM],
    data: AccessTokenSchema,
    async handle({ body, headers, address }) {
      const { authorization } = headers;
      const form = /^application\/x-www-form-urlencoded *(?:;|$)/i.test(
        String(headers['content-type'] ?? ''),
      );
      const request = readTokenRequest(body, authorization);
      const data = await grantToken(deps, request, {
        address,
        // A challenge on a JSON request would make browsers open their login dialog.
        challenge: form || isBasic(authorization),
      });
      return { data, headers: NO_STORE };
    },
  });
}

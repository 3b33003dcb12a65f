import Type from 'typebox';
import { ALL_SCOPES } from '../../../common/caller.ts';
import { API_VERSION } from '../../../common/version.ts';
import { OAUTH_TOKEN_PATH } from '../../../engines/http/response/envelope.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';

const words = (description: string, examples: string[]) =>
  Type.Array(Type.String(), { description, examples: [examples] });

const AuthorizationServerSchema = Type.Object(
  {
    issuer: Type.String({ format: 'uri', description: 'The base address of this service.' }),
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
      description: 'Empty: there is no authorization endpoint.',
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
    version: API_VERSION,
    tag: 'Authentication',
    summary: 'Describe the token endpoint to an OAuth library',
    description:
      'Authorization server metadata (RFC 8414), with which an OAuth library configures itself. The response has no envelope. If the service has a path on its host, libraries request this document at the root of the host, with that path at the end (RFC 8414 §3.1); the proxy must forward this request.',
    access: 'public',
    errors: [],
    data: AuthorizationServerSchema,
    withoutEnvelope: true,
    handle() {
      const issuer = publicUrl();
      return {
        data: {
          issuer,
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

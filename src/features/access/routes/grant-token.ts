import { StaveError } from '../../../common/errors.ts';
import type { RequestCounter } from '../client-requests.ts';
import { type AuthenticatedClient, checkCredentials } from '../credentials.ts';
import type { LoginThrottle } from '../login-throttle.ts';
import type { ClientRegistry } from '../registry.ts';
import { TOKEN_SECONDS, type TokenIssuer } from '../token-issuer.ts';
import { grantScopes } from './grant-scopes.ts';
import type { TokenRequest } from './token-request.ts';

/** What the token endpoints need. */
export interface TokenDependencies {
  registry: ClientRegistry;
  issuer: TokenIssuer;
  loginThrottle: LoginThrottle;
  /** Notes the use of secrets. */
  requestCounter?: Pick<RequestCounter, 'used'> | undefined;
  /**
   * Brings the registry up to the end of the change log. Called before any credentials are refused,
   * so that a client can use new credentials at once.
   */
  catchUp(): Promise<void>;
}

/** Prevents caching of the response on the way (RFC 6749 §5.1). */
export const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

/**
 * Issues a token for the client whose credentials the request carries. Rejects with invalid_client,
 * rate_limited or invalid_scope.
 *
 * @param place.challenge whether a refusal carries a challenge for HTTP Basic.
 */
export async function grantToken(
  deps: TokenDependencies,
  request: TokenRequest,
  place: { address: string; challenge: boolean },
) {
  const authenticated = await authenticate(deps, request, place);
  const { client, secretId } = authenticated;
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

async function authenticate(
  { registry, loginThrottle, catchUp }: TokenDependencies,
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
  const waitSeconds = loginThrottle.fail(address, clientId);
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

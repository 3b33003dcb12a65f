import { invalidToken } from '../access/invalid-token.ts';
import type { TokenVerifier } from '../access/token-verifier.ts';
import type { Authenticate } from './serve-route.ts';

const SCHEME = /^bearer(?: +|$)/i;

/**
 * The check of bearer tokens, from the header alone: one in the query or the body is never looked at
 * (RFC 9700 §4.3.2). Several headers arrive here joined by commas, and are no token. Answers at once
 * for a token that was seen before.
 */
export function createAuthenticate({ verifier }: { verifier: TokenVerifier }): Authenticate {
  return (authorization) => {
    const scheme = authorization === undefined ? null : SCHEME.exec(authorization);
    if (scheme === null) {
      // Another scheme brings no token either (RFC 6750 §3.1).
      throw invalidToken(
        'No access token was sent; send one as "Authorization: Bearer <token>", from POST /v1/auth/token.',
        { noTokenSent: true },
      );
    }
    return verifier.verify(authorization!.slice(scheme[0].length));
  };
}

import type { Caller } from '../../../common/caller/caller.ts';
import type { Authenticate } from './authorize.ts';
import { invalidToken } from './invalid-token.ts';

/** Verifies access tokens. */
export interface TokenVerifier {
  /** Returns the caller of a token; throws or rejects with `invalid_token`. */
  verify(token: string): Caller | Promise<Caller>;
}

const SCHEME = /^bearer(?: +|$)/i;

const HOW = 'send one as "Authorization: Bearer <token>", from POST /v1/auth/token.';
const EXCHANGE = 'exchange client id and secret for an access token by POST /v1/auth/token.';

/**
 * Returns the function that checks bearer tokens. It reads only the header, never a token in the query or the
 * body (RFC 9700 §4.3.2). Several headers arrive joined by commas and are invalid. It is synchronous for a
 * token that was verified before. Its error messages contain no part of the header.
 */
export function createAuthenticate({ verifier }: { verifier: TokenVerifier }): Authenticate {
  return (authorization, url) => {
    const scheme = authorization === undefined ? null : SCHEME.exec(authorization);
    if (scheme === null) {
      // A header of another scheme counts as no token (RFC 6750 §3.1).
      throw invalidToken(withoutBearer(authorization ?? '', url), { noTokenSent: true });
    }
    const token = authorization!.slice(scheme[0].length);
    // Every token begins with the base64url of `{"`.
    const mistake = token.startsWith('ey') ? undefined : insteadOfToken(token);
    if (mistake !== undefined) {
      throw invalidToken(mistake);
    }
    return verifier.verify(token);
  };
}

/** Returns the message for a header that does not begin with Bearer. */
function withoutBearer(authorization: string, url: string): string {
  if (authorization.trim() === '') {
    return /[?&]access_token=/.test(url)
      ? 'A token in the query is not read; send it in the header "Authorization: Bearer <token>".'
      : `No access token was sent; ${HOW}`;
  }
  if (/^basic(?: |$)/i.test(authorization)) {
    return `The Authorization header is HTTP Basic, which only the token endpoint takes; ${EXCHANGE}`;
  }
  if (isSecret(authorization)) {
    return `The Authorization header holds a client secret; ${EXCHANGE}`;
  }
  if (/^ey[\w-]*\.[\w-]*\.[\w-]*$/.test(authorization)) {
    return 'The Authorization header holds a token without the word Bearer; send "Authorization: Bearer <token>".';
  }
  return `The Authorization header does not begin with Bearer, and so holds no access token; ${HOW}`;
}

/**
 * Returns the message for a text that callers send by mistake instead of a token; undefined for any other
 * text.
 */
function insteadOfToken(token: string): string | undefined {
  if (isSecret(token)) {
    return `A client secret was sent in the place of an access token; ${EXCHANGE}`;
  }
  if (/^(?:undefined|null|none|nil|\[object object\]|\{\{.*|\$\{?\w*\}?)?$/i.test(token)) {
    return 'Nothing stands after Bearer that could be an access token, as if a variable had no value; the token is data.access_token in the response of POST /v1/auth/token.';
  }
  if (SCHEME.test(token)) {
    return 'The word Bearer stands twice in the Authorization header; send it once.';
  }
  return undefined;
}

function isSecret(text: string): boolean {
  return /^stave_(?:test|live)_/.test(text);
}

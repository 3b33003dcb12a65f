import { decoded } from '../../../engines/http/input/query.ts';
import type { ApiRequest } from '../../../engines/http/route/route.ts';

/** The value of a request header. */
export type HeaderValue = ApiRequest['headers'][string];

/** Token68 of RFC 9110 §11.2, in the alphabet of Basic. */
const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/** Whether the client authenticates by HTTP Basic. The endpoint ignores other schemes. */
export function isBasic(authorization: HeaderValue): authorization is string {
  return typeof authorization === 'string' && /^basic(?: |$)/i.test(authorization);
}

/**
 * Parses client id and secret from HTTP Basic, each form-decoded after the split (RFC 6749 §2.3.1). Returns
 * undefined if the header is malformed.
 */
export function basicCredentials(
  authorization: string,
): { clientId: string; secret: string } | undefined {
  const encoded = BASIC.exec(authorization)?.[1];
  if (encoded === undefined) {
    return undefined;
  }
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  if (colon === -1) {
    return undefined;
  }
  const clientId = decoded(pair.slice(0, colon));
  const secret = decoded(pair.slice(colon + 1));
  return clientId === undefined || secret === undefined ? undefined : { clientId, secret };
}

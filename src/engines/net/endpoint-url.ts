import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';
import type { Resolver } from './resolver.ts';

/** Where requests to partners may go: only to public addresses by HTTPS, or anywhere, for development. */
export type Targets = 'public' | 'any';

/** The longest URL, in UTF-16 code units. */
export const MAX_URL_LENGTH = 2_000;

const NOT_PUBLIC = 'must resolve to a public address';

/**
 * Returns what is wrong with the URL of an endpoint, to follow the name of the field, or null. With `public`, resolves
 * its name. The name may resolve to other addresses later, so each delivery checks them again.
 */
export async function endpointUrlProblem(
  text: string,
  targets: Targets,
  resolver: Resolver,
): Promise<string | null> {
  const url = parseEndpointUrl(text, targets);
  if (typeof url === 'string') return url;
  if (targets === 'any') return null;
  return arePublic(await addressesOf(url, resolver)) ? null : NOT_PUBLIC;
}

/**
 * Parses the URL of an endpoint without resolving its name. Returns what is wrong with it otherwise, to follow the
 * name of the field. Addresses in the URL are normalized: `https://0x7f000001` has the host `127.0.0.1`.
 */
export function parseEndpointUrl(text: string, targets: Targets): URL | string {
  if (text.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`;
  // The parser removes some of them.
  if (/[\s\p{Cc}]/u.test(text)) return 'must not contain spaces or control characters';
  const url = URL.parse(text);
  const schemes = targets === 'any' ? ['https:', 'http:'] : ['https:'];
  if (url === null || !schemes.includes(url.protocol)) {
    return targets === 'any' ? 'must be an http or https URL' : 'must be an https URL';
  }
  if (url.username !== '' || url.password !== '') return 'must not contain a user or a password';
  if (text.includes('#')) return 'must not contain a fragment';
  const address = literalAddress(url);
  if (targets === 'public' && address !== undefined && !isPublicAddress(address)) return NOT_PUBLIC;
  return url;
}

/** Returns all addresses of the host of a URL, by resolving it once if it is a name. */
export async function addressesOf(url: URL, resolver: Resolver): Promise<string[]> {
  const address = literalAddress(url);
  return address === undefined ? await resolver.resolve(url.hostname) : [address];
}

/** Whether there are addresses and all of them are public. */
export function arePublic(addresses: readonly string[]): boolean {
  return addresses.length > 0 && addresses.every(isPublicAddress);
}

function literalAddress({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) === 0 ? undefined : bare;
}

import { Resolver as DnsQueries, lookup } from 'node:dns/promises';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

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
  const addresses = await addressesOf(url, resolver);
  if (addresses.length === 0) return `${NOT_PUBLIC}; no address of its host name was found`;
  return arePublic(addresses) ? null : NOT_PUBLIC;
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

export function arePublic(addresses: readonly string[]): boolean {
  return addresses.length > 0 && addresses.every(isPublicAddress);
}

function literalAddress({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) === 0 ? undefined : bare;
}

/** The part of IPv6 that is assigned to the public Internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address belongs to the public Internet. Special-purpose addresses
 * (RFC 6890) do not, nor do IPv6 addresses that contain an IPv4 address, such as NAT64 and 6to4, whatever it is: a
 * translator on the way could turn them into any IPv4 address. Other text, and an address with a zone, returns false.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) {
    return ipaddr.IPv4.parse(address).range() === 'unicast';
  }
  if (!isIPv6(address) || address.includes('%')) {
    return false;
  }
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.range() === 'unicast' && parsed.match(GLOBAL_UNICAST);
}

/** Finds the addresses of host names. Tests implement it to change what a name resolves to. */
export interface Resolver {
  /** Returns all addresses of a name, without zones; none if it has none or no name server answers. Never rejects. */
  resolve(name: string): Promise<string[]>;
}

/** The most time that one query waits for a name server: 1.5 s, and again 3 s. */
const QUERY = { timeout: 1_500, tries: 2 };

/**
 * Returns a resolver that asks the name servers of the machine, or the given ones (`ADDRESS:PORT`). It does not read
 * `/etc/hosts` and appends no search domains. Partners choose the names, and their name servers may never answer:
 * these queries end after 4.5 seconds, and occupy no thread of the pool that files and other connections need.
 */
export function dnsResolver(servers?: readonly string[]): Resolver {
  const queries = new DnsQueries(QUERY);
  if (servers !== undefined) queries.setServers(servers);
  return {
    async resolve(name) {
      const answers = await Promise.allSettled([queries.resolve4(name), queries.resolve6(name)]);
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    },
  };
}

/** Resolves as other programs of the machine do, `/etc/hosts` included. For development. */
export const hostResolver: Resolver = {
  async resolve(name) {
    const found = await lookup(name, { all: true }).catch(() => []);
    return found.map(({ address }) => address);
  },
};

export function resolverFor(
  targets: 'public' | 'any',
  nameServers?: readonly string[] | undefined,
): Resolver {
  return targets === 'any' ? hostResolver : dnsResolver(nameServers);
}

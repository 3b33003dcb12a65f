import { isIP } from 'node:net';

/**
 * Whether a `Host` names this listener: an IP address, `localhost`, or one of `names`. A page of another site can have
 * its own name resolve to this address (DNS rebinding), and would then be of one origin with the listener. It cannot do
 * so with an address.
 *
 * @param names hosts as URLs write them, with the port unless it is the default of http
 */
export function isOwnHost(host: string | undefined, names: readonly string[]): boolean {
  const url = hostUrl(host);
  if (url === null) return false;
  const name = withoutBrackets(url.hostname);
  return isIP(name) !== 0 || name === 'localhost' || names.includes(url.host);
}

/** Returns the name or the IP address in a `Host`, without port and brackets; undefined if there is none. */
export function hostNameOf(host: string | undefined): string | undefined {
  const url = hostUrl(host);
  return url === null ? undefined : withoutBrackets(url.hostname);
}

/** Parses a `Host`, without the port that is the default of the protocol. */
export function hostUrl(host: string | undefined, protocol = 'http:'): URL | null {
  if (host === undefined || !/^[\w.:[\]-]{1,255}$/.test(host)) return null;
  return URL.parse(`${protocol}//${host}`);
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Which names the console answers to: IP addresses, `localhost` and the host of its URL. */
export class Hosts {
  readonly #url: URL | null;

  constructor(url: string | null) {
    this.#url = url === null ? null : new URL(url);
  }

  /**
   * Whether the console answers to this `Host`. A page of another site could have its own name lead to this address
   * (DNS rebinding), and would then be of one origin with the console. It cannot do so with an address.
   */
  isOurs(host: string | undefined): boolean {
    const url = hostUrl(host);
    if (url === null) return false;
    const name = url.hostname.replace(/^\[(.*)\]$/, '$1');
    return isIP(name) !== 0 || name === 'localhost' || url.host === this.#hostOfUrl();
  }

  /** Whether a request that changes something comes from a page of the console. */
  isOwnPage({ headers }: FastifyRequest): boolean {
    const { origin, host, 'sec-fetch-site': site } = headers;
    if (site !== undefined && site !== 'same-origin') return false;
    // Browsers send one of both with every form.
    if (origin === undefined) return site === 'same-origin';
    const from = URL.parse(origin);
    const to = hostUrl(host, from?.protocol);
    if (from === null || to === null || from.host !== to.host) return false;
    return this.#url === null || to.host !== this.#url.host || from.origin === this.#url.origin;
  }

  #hostOfUrl(): string | undefined {
    return this.#url === null ? undefined : hostUrl(this.#url.host)?.host;
  }
}

/** Whether only programs of this machine can connect to an address. */
export function isLoopback(address: string): boolean {
  if (isIP(address) === 0) return address === 'localhost';
  return LOOPBACK.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Parses a `Host`, without the port that is the default of the protocol. */
function hostUrl(host: string | undefined, protocol = 'http:'): URL | null {
  if (host === undefined || !/^[\w.:[\]-]{1,255}$/.test(host)) return null;
  return URL.parse(`${protocol}//${host}`);
}

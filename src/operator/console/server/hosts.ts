import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { hostUrl, isOwnHost } from '../../../engines/http/guard/host-names.ts';

/** Which names the console answers to: IP addresses, `localhost` and the host of its URL. */
export class Hosts {
  readonly #url: URL | null;

  constructor(url: string | null) {
    this.#url = url === null ? null : new URL(url);
  }

  /** Whether the console answers to this `Host`. */
  isOurs(host: string | undefined): boolean {
    const own = this.#url === null ? null : hostUrl(this.#url.host);
    return isOwnHost(host, own === null ? [] : [own.host]);
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
}

/** Whether only programs of this machine can connect to an address. */
export function isLoopback(address: string): boolean {
  if (isIP(address) === 0) return address === 'localhost';
  return LOOPBACK.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

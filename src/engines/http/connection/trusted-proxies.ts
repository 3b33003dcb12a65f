import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { BoundedMap, keptIn } from '../../../common/memory/caches.ts';

/** The names of address ranges in `STAVE_TRUST_PROXY`. */
const RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

const MAX_NETWORKS = 10_000;
/** The longest `X-Forwarded-For` whose network is remembered. */
const MAX_KNOWN_LENGTH = 200;

/** Finds the caller: the other end of a connection, or the address that a trusted proxy forwards. */
export class TrustedProxies {
  readonly #list = new BlockList();
  /** The networks of recent requests, by the addresses from which they follow: the search for one takes microseconds. */
  readonly #networks = new BoundedMap<string, string>(MAX_NETWORKS);

  /** @param entries addresses, address ranges and names of ranges. */
  constructor(entries: readonly string[]) {
    for (const range of entries.flatMap((entry) => RANGES[entry] ?? [entry])) {
      const [address, prefix] = range.split('/') as [string, string?];
      const family = isIPv6(address) ? 'ipv6' : 'ipv4';
      this.#list.addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family);
    }
  }

  /**
   * Returns the address that a connection counts for: an IPv4 address or the /64 of an IPv6 one. Undefined
   * for a trusted proxy, and for a closed connection.
   */
  callerOf({ remoteAddress }: Socket): string | undefined {
    if (remoteAddress === undefined) {
      return undefined;
    }
    const address = addressIn(remoteAddress)!;
    return this.#trusts(address) ? undefined : networkOf(address);
  }

  /** Whether the other end of a connection is a trusted proxy. */
  isProxy({ remoteAddress }: Socket): boolean {
    const address = addressIn(remoteAddress ?? '');
    return address !== undefined && this.#trusts(address);
  }

  /**
   * Returns the network that limits count as the caller of a request: an IPv4 address or the /64 of an IPv6 one. Each
   * trusted proxy names the address before it in `X-Forwarded-For`, from the last element to the first. A proxy that
   * names none, or something else, counts as the caller itself. Empty for a connection that closed before anything has
   * read its address: nobody receives the response.
   */
  callerOfRequest({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return '';
    // Node joins the lines of this header.
    const forwarded = String(headers['x-forwarded-for'] ?? '');
    if (forwarded.length > MAX_KNOWN_LENGTH) return this.#networkOf(remoteAddress, forwarded);
    const key = forwarded === '' ? remoteAddress : `${remoteAddress} ${forwarded}`;
    return keptIn(this.#networks, key, () => this.#networkOf(remoteAddress, forwarded));
  }

  /**
   * Returns the protocol of the address that was called: the one that a trusted proxy names in `X-Forwarded-Proto`,
   * otherwise that of the connection.
   */
  protocolOf({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): 'http:' | 'https:' {
    const forwarded = headers['x-forwarded-proto'];
    if ((forwarded === 'http' || forwarded === 'https') && this.isProxy(socket)) {
      return `${forwarded}:`;
    }
    return 'encrypted' in socket ? 'https:' : 'http:';
  }

  #networkOf(remoteAddress: string, given: string): string {
    let address = addressIn(remoteAddress);
    if (address === undefined) return '';
    const forwarded = given.split(',');
    while (this.#trusts(address)) {
      const before = addressIn(forwarded.pop() ?? '');
      if (before === undefined) {
        break;
      }
      address = before;
    }
    return networkOf(address);
  }

  #trusts(address: string): boolean {
    return this.#list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }
}

/**
 * Returns the IP address in the text of a proxy or a socket, without brackets, port and zone. Undefined for text
 * without one.
 */
export function addressIn(text: string): string | undefined {
  const trimmed = text.trim();
  // An IPv6 address without brackets may end like a port, so the whole text comes first.
  for (const candidate of [trimmed, trimmed.replace(/:\d+$/, '')]) {
    const address = candidate.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '');
    if (isIP(address) !== 0) {
      return address;
    }
  }
  return undefined;
}

/**
 * Returns the network that limits count as one caller: an IPv4 address (IPv4-mapped IPv6 included), or the /64 of an
 * IPv6 address, the smallest block that a provider assigns.
 *
 * @param address an IP address without zone
 */
export function networkOf(address: string): string {
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6
    ? `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0])}/64`
    : parsed.toString();
}

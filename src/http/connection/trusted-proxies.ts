import { BlockList, isIPv6, type Socket } from 'node:net';
import { networkOf } from '../../access/network.ts';

/** The names of address ranges in `STAVE_TRUST_PROXY`, as Fastify defines them. */
const RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Distinguishes the connections of trusted proxies, which carry many callers, from those of one caller. */
export class TrustedProxies {
  readonly #list = new BlockList();

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
    const isTrusted = this.#list.check(remoteAddress, isIPv6(remoteAddress) ? 'ipv6' : 'ipv4');
    return isTrusted ? undefined : networkOf(remoteAddress);
  }
}

import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

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

import { isIP, isIPv6 } from 'node:net';

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
  if (!isIPv6(address)) {
    return address;
  }
  const groups = expand(address);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const [high, low] = [groups[6]!, groups[7]!];
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight 16-bit groups of a valid IPv6 address. */
function expand(address: string): number[] {
  // The URL parser writes a dotted IPv4 tail in hexadecimal.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head, tail] = canonical.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const missing = 8 - head!.length - (tail?.length ?? 0);
  return [...head!, ...Array<string>(tail ? missing : 0).fill('0'), ...(tail ?? [])].map((group) =>
    Number.parseInt(group, 16),
  );
}

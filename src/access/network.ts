import { isIPv6 } from 'node:net';

/**
 * The network that limits count as one caller: an IPv4 address (IPv4-mapped IPv6 included), or the /64
 * of an IPv6 address, the smallest block that a provider assigns. Other text is returned unchanged.
 */
export function networkOf(address: string): string {
  const bare = address.split('%', 1)[0]!;
  if (!isIPv6(bare)) {
    return address;
  }
  const groups = expand(bare);
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

import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether only programs of this machine can connect to a host: an IP address, also in brackets as URLs have it, or a name. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) === 0) return address === 'localhost';
  return LOOPBACK.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

import { isIPv4, type Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networkOf, TrustedProxies } from './trusted-proxies.ts';

const from = (remoteAddress?: string) => ({ remoteAddress }) as Socket;

describe('TrustedProxies', () => {
  it.each([
    ['10.1.2.3', undefined],
    ['::ffff:10.1.2.3', undefined],
    ['127.0.0.1', undefined],
    ['::1', undefined],
    ['fd00::7', undefined],
    ['2001:db8::7', undefined],
    ['192.0.2.7', undefined],
    ['192.0.2.8', '192.0.2.8'],
    ['::ffff:192.0.2.8', '192.0.2.8'],
    ['2001:db8::8', '2001:db8::/64'],
  ])('returns for %s the address %s', (address, caller) => {
    const entries = ['10.0.0.0/8', 'loopback', 'uniquelocal', '2001:db8::7', '192.0.2.7'];
    expect(new TrustedProxies(entries).callerOf(from(address))).toBe(caller);
  });

  it.each([
    ['https:', '10.1.2.3', 'https'],
    ['http:', '10.1.2.3', 'http'],
    ['http:', '10.1.2.3', undefined],
    ['http:', '10.1.2.3', 'https, http'],
    ['http:', '192.0.2.8', 'https'],
  ])('says %s to a connection of %s that forwards %s', (protocol, address, forwarded) => {
    const request = { socket: from(address), headers: { 'x-forwarded-proto': forwarded } };
    expect(new TrustedProxies(['10.0.0.0/8']).protocolOf(request)).toBe(protocol);
  });

  it('says https: to a connection with TLS, unless a proxy forwards http', () => {
    const socket = { remoteAddress: '10.1.2.3', encrypted: true } as unknown as Socket;
    const proxies = new TrustedProxies(['10.0.0.0/8']);
    expect(proxies.protocolOf({ socket, headers: {} })).toBe('https:');
    const headers = { 'x-forwarded-proto': 'http' };
    expect(proxies.protocolOf({ socket, headers })).toBe('http:');
  });

  it('trusts no proxy if none is configured', () => {
    expect(new TrustedProxies([]).callerOf(from('127.0.0.1'))).toBe('127.0.0.1');
    expect(new TrustedProxies([]).callerOf(from())).toBeUndefined();
  });
});

describe('the caller of a request', () => {
  const proxies = new TrustedProxies(['10.0.0.0/8', 'fd00::/8']);
  const callerOf = (forwarded: string | undefined, remoteAddress?: string) =>
    proxies.callerOfRequest({
      socket: from(remoteAddress),
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    });

  it.each([
    [undefined, '10.0.0.1'],
    ['', '10.0.0.1'],
    [' , ', '10.0.0.1'],
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:51234', '192.0.2.7'],
    ['[2001:db8::1]:443', '2001:db8::/64'],
    ['::ffff:192.0.2.7:51234', '192.0.2.7'],
    ['unknown', '10.0.0.1'],
    ['for=192.0.2.7', '10.0.0.1'],
    // The last trusted proxy is the last one whose word counts.
    ['198.51.100.1, 192.0.2.7', '192.0.2.7'],
    ['198.51.100.1, 192.0.2.7:80, 10.0.0.2', '192.0.2.7'],
    ['198.51.100.1, 192.0.2.7:80,10.0.0.2:8080 ,[fd00::1]:1', '192.0.2.7'],
    ['198.51.100.1, unknown, 10.0.0.2', '10.0.0.2'],
    ['198.51.100.1, _hidden, [fd00::1]:1', 'fd00::/64'],
    ['198.51.100.1, , 10.0.0.2', '10.0.0.2'],
    ['198.51.100.1, ', '10.0.0.1'],
    ['10.0.0.4, 10.0.0.3, 10.0.0.2', '10.0.0.4'],
    [', 10.0.0.2', '10.0.0.2'],
  ])('is for %j behind a trusted proxy %s', (forwarded, caller) => {
    expect(callerOf(forwarded, '10.0.0.1')).toBe(caller);
    expect(callerOf(forwarded, '::ffff:10.0.0.1')).toBe(caller);
  });

  it('is the other end of the connection, unless that is a trusted proxy', () => {
    expect(callerOf('192.0.2.7', '198.51.100.1')).toBe('198.51.100.1');
    expect(callerOf('192.0.2.7', 'fe80::1%eth0')).toBe('fe80::/64');
    expect(callerOf(`${'198.51.100.1, '.repeat(1_000)}192.0.2.7`, '10.0.0.1')).toBe('192.0.2.7');
    const nobody = new TrustedProxies([]);
    const headers = { 'x-forwarded-for': '192.0.2.7' };
    expect(nobody.callerOfRequest({ socket: from('10.0.0.1'), headers })).toBe('10.0.0.1');
    expect(callerOf('192.0.2.7')).toBe('');
  });

  const stranger = fc
    .oneof(fc.ipV4(), fc.ipV6())
    .filter((address) => proxies.callerOf(from(address)) !== undefined);

  it('does not depend on the port, the brackets, or what comes before', () => {
    fc.assert(
      fc.property(stranger, fc.nat(65_535), fc.string(), fc.nat(3), (address, port, left, hops) => {
        const forms = [address, `[${address}]`, `[${address}]:${port}`];
        if (isIPv4(address)) forms.push(`${address}:${port}`);
        const trusted = ', 10.0.0.2:80'.repeat(hops);
        for (const form of forms) {
          const forwarded = `${left}, ${form}${trusted}`;
          expect(callerOf(forwarded, '10.0.0.1')).toBe(networkOf(address));
        }
      }),
    );
  });

  it('is the nearest trusted proxy for everything that is no address', () => {
    const garbage = fc.string().filter((text) => !/[\d,]/.test(text) && !text.includes('::'));
    fc.assert(
      fc.property(garbage, (text) => {
        expect(callerOf(`192.0.2.7, ${text}`, '10.0.0.1')).toBe('10.0.0.1');
      }),
    );
  });
});

import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { TrustedProxies } from './trusted-proxies.ts';

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
    ['2001:db8::8', '2001:db8:0:0::/64'],
  ])('returns for %s the address %s', (address, caller) => {
    const entries = ['10.0.0.0/8', 'loopback', 'uniquelocal', '2001:db8::7', '192.0.2.7'];
    expect(new TrustedProxies(entries).callerOf(from(address))).toBe(caller);
  });

  it('trusts no proxy if none is configured', () => {
    expect(new TrustedProxies([]).callerOf(from('127.0.0.1'))).toBe('127.0.0.1');
    expect(new TrustedProxies([]).callerOf(from())).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { addressIn, networkOf } from './trusted-proxies.ts';

describe('networkOf', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['::1', '::/64'],
    ['::', '::/64'],
  ])('counts %s as %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('addressIn', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['\t192.0.2.7 ', '192.0.2.7'],
    ['192.0.2.7:51234', '192.0.2.7'],
    ['[192.0.2.7]:51234', '192.0.2.7'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['2001:db8::1:51234', '2001:db8::1'],
    ['2001:db8:1:2:3:4:5:6:443', '2001:db8:1:2:3:4:5:6'],
    ['::ffff:192.0.2.7:51234', '::ffff:192.0.2.7'],
    ['[::ffff:192.0.2.7]:51234', '::ffff:192.0.2.7'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:443', 'fe80::1'],
  ])('finds in %j the address %s', (text, address) => {
    expect(addressIn(text)).toBe(address);
  });

  it.each([
    ...'unknown _hidden proxy.example for=192.0.2.7 "192.0.2.7" - : []'.split(' '),
    ...'192.0.2.7: 192.0.2.7:x 192.0.2.7:80:80 192.0.2 192.0.2.256 0300.0.2.7 3221225991'.split(
      ' ',
    ),
    ...'[2001:db8::1 2001:db8::1] [[2001:db8::1]] [2001:db8::1]443 2001:db8::1::2'.split(' '),
    ...['', ' ', '192.0.2.7 192.0.2.8', '192.0.2.7\0'],
  ])('finds none in %j', (text) => {
    expect(addressIn(text)).toBeUndefined();
  });

  it('finds none in a long text', () => {
    for (const part of ['x', ':1', '[', '%', ' ']) {
      expect(addressIn(part.repeat(16_000))).toBeUndefined();
    }
  });
});

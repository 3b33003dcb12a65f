import { expect, test } from 'vitest';
import { type AddressRecord, startNameServer } from '../../../test/harness/name-server.ts';
import { dnsResolver, hostResolver } from './endpoint-url.ts';

const ADDRESSES: Record<string, readonly AddressRecord[]> = {
  'hooks.example': [
    [1, [93, 184, 216, 34]],
    [1, [127, 0, 0, 1]],
    [28, [0x20, 0x03, ...Array(13).fill(0), 1]],
  ],
  'one.example': [[1, [10, 0, 0, 7]]],
  'mapped.example': [[28, [...Array(10).fill(0), 0xff, 0xff, 10, 0, 0, 1]]],
};

test('a resolver of names finds all addresses of both families', async () => {
  using server = await startNameServer((name, type) =>
    name === 'one.example' && type === 28 ? 'fault' : ADDRESSES[name],
  );
  const { resolve } = dnsResolver([server.address]);
  expect(await resolve('hooks.example')).toEqual(['93.184.216.34', '127.0.0.1', '2003::1']);
  expect(await resolve('mapped.example')).toEqual(['::ffff:10.0.0.1']);
  expect(await resolve('one.example')).toEqual(['10.0.0.7']);
  expect(await resolve('unknown.example')).toEqual([]);
});

test('the resolver of the machine reads its host file', async () => {
  expect(await hostResolver.resolve('localhost')).toContain('127.0.0.1');
  expect(await hostResolver.resolve('unknown.invalid')).toEqual([]);
});

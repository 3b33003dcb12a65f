import { describe, expect, test } from 'vitest';
import { resolving } from './deliver.test-support.ts';
import { endpointUrlProblem } from './endpoint-url.ts';

const PUBLIC = resolving(['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946']);
const NOT_PUBLIC = 'must resolve to a public address';
const LONG = `https://example.org/${'a'.repeat(1_980)}`;

const problem = (url: string, resolver = PUBLIC) => endpointUrlProblem(url, 'public', resolver);

test.each([
  'https://example.org',
  'https://example.org:8443/hooks?tenant=7',
  'https://bücher.example/hook',
  'https://93.184.216.34/hook',
  'https://[2606:2800:220:1:248:1893:25c8:1946]:22/',
  LONG,
])('%s is allowed', async (url) => {
  expect(await problem(url)).toBeNull();
});

test.each([
  ['http://example.org', 'must be an https URL'],
  ['ftp://example.org', 'must be an https URL'],
  ['example.org', 'must be an https URL'],
  ['https://', 'must be an https URL'],
  ['https://user@example.org', 'must not contain a user or a password'],
  ['https://:word@example.org', 'must not contain a user or a password'],
  ['https://example.org/#', 'must not contain a fragment'],
  ['https://example.org/#part', 'must not contain a fragment'],
  ['https://exam\nple.org', 'must not contain spaces or control characters'],
  [' https://example.org', 'must not contain spaces or control characters'],
  [`${LONG}a`, 'must have at most 2000 characters'],
])('%j is refused', async (url, expected) => {
  expect(await problem(url)).toBe(expected);
});

describe('a host that is not public is refused', () => {
  test.each([
    'https://127.0.0.1',
    'https://127.1',
    'https://0x7f000001',
    'https://0177.0.0.1',
    'https://2130706433',
    'https://①②⑦.⓪.⓪.①',
    'https://127。0。0。1',
    'https://127.0.0.1.',
    'https://169.254.169.254/latest/meta-data/',
    'https://0.0.0.0',
    'https://[::]',
    'https://[::1]',
    'https://[::ffff:10.0.0.1]',
    'https://[64:ff9b::5db8:d822]',
  ])('%s', async (url) => {
    const resolver = resolving(['93.184.216.34']);
    expect(await problem(url, resolver)).toBe(NOT_PUBLIC);
    expect(resolver.asked).toEqual([]);
  });

  test.each([
    ['the name of this machine', ['127.0.0.1', '::1'], NOT_PUBLIC],
    ['a private address among public ones', ['93.184.216.34', '10.0.0.7'], NOT_PUBLIC],
    ['no address', [], `${NOT_PUBLIC}; no address of its host name was found`],
  ])('a name with %s', async (_what, addresses, message) => {
    const resolver = resolving(addresses);
    expect(await problem('https://localhost./hook', resolver)).toBe(message);
    expect(resolver.asked).toEqual(['localhost.']);
  });
});

test('with any targets, http and every host are allowed, and no name is resolved', async () => {
  const resolver = resolving([]);
  for (const url of ['http://localhost:3000/hook', 'https://10.0.0.1', 'http://[::1]:80/']) {
    expect(await endpointUrlProblem(url, 'any', resolver)).toBeNull();
  }
  expect(await endpointUrlProblem('ftp://localhost', 'any', resolver)).toBe(
    'must be an http or https URL',
  );
  expect(resolver.asked).toEqual([]);
});

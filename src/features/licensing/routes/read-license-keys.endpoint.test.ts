import { expect, it } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';

const KEYS = [
  {
    kty: 'OKP',
    crv: 'Ed25519',
    x: expect.stringMatching(/^[\w-]{43}$/),
    kid: expect.stringMatching(/^[\w-]{43}$/),
    use: 'sig',
  },
];

testEndpoint({
  operationId: 'readLicenseKeys',
  operation: 'GET /.well-known/jwks.json',
  access: 'public',
  request: {},
  expectResponse({ data, body }) {
    expect(data).toEqual({ keys: KEYS });
    expect(JSON.parse(body.toString())).toEqual({
      data,
      error: { code: 0, message: 'OK' },
      keys: data.keys,
    });
  },
});

testEndpoint({
  operationId: 'readTestLicenseKeys',
  operation: 'GET /.well-known/jwks-test.json',
  access: 'public',
  request: {},
  expectResponse({ data, body }) {
    expect(data).toEqual({ keys: KEYS });
    expect(JSON.parse(body.toString()).keys).toEqual(data.keys);
  },
  more(context) {
    // The keys of one mode say nothing about licenses of the other.
    it('has other keys than the set of live licenses', async () => {
      const { server } = context();
      const live = await server.call('readLicenseKeys');
      const test = await server.call('readTestLicenseKeys');
      expect(test.data.keys[0].kid).not.toBe(live.data.keys[0].kid);
    });
  },
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawResponse } from '../harness/http.ts';
import { OAUTH_READERS } from '../harness/oauth-readers.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';

const PATH = '/oauth/token';
const METADATA_PATH = '/.well-known/oauth-authorization-server';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await startTestServer({ tracks: [] });
  client = await server.createClient({ scopes: ['search', 'tracks'] });
});
afterAll(() => server?.close());

const formOf = (members: Record<string, string> = {}) =>
  new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client.clientId,
    client_secret: client.testSecret,
    ...members,
  }).toString();
const post = (body: string, headers: Record<string, string> = {}) =>
  server.call('createOAuthToken', { body, headers: { ...FORM, ...headers } });
const read = ({ body }: RawResponse) => JSON.parse(body.toString('utf8'));

/** Checks an error response against RFC 6749 §5.2 and the parsers of other languages. */
function expectOAuthError(response: RawResponse, status: number, error: string): void {
  expect({ status: response.status, ...read(response) }).toEqual({
    status,
    error,
    error_description: expect.stringMatching(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/),
    error_uri: expect.stringMatching(/^https?:[^#]+\/docs\/errors#\w+$/),
  });
  expect(response.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    pragma: 'no-cache',
    'x-api-version': 'v1',
    'x-service-version': expect.stringMatching(/^\d/),
    'x-request-id': expect.any(String),
  });
  expect(response.headers['www-authenticate']).toBe(
    status === 401 ? 'Basic realm="stave"' : undefined,
  );
  for (const reader of Object.values(OAUTH_READERS)) {
    const reading = reader({
      status,
      contentType: response.headers['content-type']!,
      body: response.body.toString('utf8'),
    });
    expect(reading).toHaveProperty('error');
    expect(reading).not.toHaveProperty('unreadable');
  }
}

describe('a path in percent-encoding', () => {
  it('has errors without the envelope, too', async () => {
    const headers = { ...FORM, 'X-Request-Id': 'encoded' };
    const body = 'grant_type=client_credentials&client_id=x&client_secret=y';
    const refused = await server.http.send('POST', '/oauth/%74oken', headers, body);
    expectOAuthError(refused, 401, 'invalid_client');
    const wrongMethod = await server.http.send('PUT', '/oauth/%74oken');
    expect(read(wrongMethod)).toMatchObject({ error: 'invalid_request' });
  });
});

describe('POST /oauth/token', () => {
  it('responds exactly as in RFC 6749 §5.1, with the version headers', async () => {
    const basic = Buffer.from(`${client.clientId}:${client.liveSecret}`).toString('base64');
    for (const [response, mode] of [
      [await post(formOf()), 'test'],
      [await post('grant_type=client_credentials', { Authorization: `Basic ${basic}` }), 'live'],
    ] as const) {
      expect(response.status).toBe(200);
      expect(response.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        pragma: 'no-cache',
        'x-api-version': 'v1',
        'x-service-version': expect.stringMatching(/^\d/),
      });
      const token = read(response);
      expect(token).toEqual({
        access_token: expect.stringMatching(/^eyJ/),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'search tracks',
      });
      const { data: me } = await server.call('readMe', { token: token.access_token });
      expect(me).toMatchObject({ clientId: client.clientId, mode });
    }
  });

  it('narrows the token to the requested scope', async () => {
    expect(read(await post(formOf({ scope: 'search' }))).scope).toBe('search');
  });

  it('names the separator of scopes', async () => {
    const response = await post(formOf({ scope: 'search,tracks' }));
    expectOAuthError(response, 400, 'invalid_scope');
    expect(read(response).error_description).toContain('separated by spaces, not by commas');
  });

  it('responds with every declared error as in RFC 6749 §5.2', async () => {
    const basic = Buffer.from(`${client.clientId}:wrong`).toString('base64');
    const long = 'x'.repeat(65_537);
    const cases: [RawResponse, number, string][] = [
      [await post(formOf({ client_secret: '' })), 400, 'invalid_request'],
      [await post(''), 400, 'invalid_request'],
      [await post('%ff=%ff&%zz'), 400, 'invalid_request'],
      [await post(`${formOf()}&client_id=x`), 400, 'invalid_request'],
      [await post(formOf(), { Authorization: `Basic ${basic}` }), 400, 'invalid_request'],
      [await post('', { Authorization: 'Basic ???' }), 400, 'invalid_request'],
      [await post(formOf({ grant_type: 'password' })), 400, 'unsupported_grant_type'],
      [await post(formOf({ scope: 'analytics "é"' })), 400, 'invalid_scope'],
      [await post(formOf({ client_secret: 'wrong' })), 401, 'invalid_client'],
      [
        await post('grant_type=client_credentials', { Authorization: `Basic ${basic}` }),
        401,
        'invalid_client',
      ],
      [await post(formOf(), { Accept: 'text/html' }), 406, 'invalid_request'],
      [await post(long), 413, 'invalid_request'],
      [await post('{}', { 'Content-Type': 'application/json' }), 415, 'invalid_request'],
      [await post(formOf(), { 'Content-Encoding': 'gzip' }), 415, 'invalid_request'],
    ];
    for (const [response, status, error] of cases) {
      expectOAuthError(response, status, error);
    }
    const provoked = new Set(cases.map(([, status]) => status));
    // Tested below, beside the route (500), and in draining.test.ts for a draining node.
    const elsewhere = [429, 500, 503];
    expect([...provoked, ...elsewhere].sort()).toEqual(
      server.contract.declaredStatuses('createOAuthToken').sort(),
    );
  });

  it('responds with errors before the operation in the same form', async () => {
    const [get, long, many, expecting] = await Promise.all([
      server.http.send('GET', PATH),
      server.http.send('POST', `${PATH}?${'x'.repeat(8_192)}`, FORM, formOf()),
      server.http.send('POST', PATH, { ...FORM, 'X-Long': 'x'.repeat(16_384) }, formOf()),
      server.http.send('POST', PATH, { ...FORM, Expect: 'magic' }, formOf()),
    ]);
    expectOAuthError(get!, 405, 'invalid_request');
    expect(get!.headers.allow).toBe('POST, OPTIONS');
    expectOAuthError(long!, 414, 'invalid_request');
    expectOAuthError(many!, 431, 'invalid_request');
    expectOAuthError(expecting!, 417, 'invalid_request');
    const options = await server.http.send('OPTIONS', PATH);
    expect(options).toMatchObject({ status: 204, headers: { allow: 'POST, OPTIONS' } });
    expect((await server.http.send('HEAD', PATH)).status).toBe(405);
    const other = await server.http.send('POST', '/oauth/tokens', FORM, formOf());
    expect(read(other)).toMatchObject({ data: {}, error: { type: 'not_found' } });
  });

  it('shares its limit of failures with POST /v1/auth/token, and accepts the right secret', async () => {
    const guessed = { client_id: 'guessed', client_secret: 'wrong' };
    for (let i = 0; i < 5; i++) {
      expect((await post(formOf(guessed))).status).toBe(401);
      const body = { grant_type: 'client_credentials', ...guessed };
      expect((await server.call('createToken', { body })).status).toBe(401);
    }
    const response = await post(formOf(guessed));
    expectOAuthError(response, 429, 'temporarily_unavailable');
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    expect((await post(formOf())).status).toBe(200);
  });
});

describe('GET /.well-known/oauth-authorization-server', () => {
  it('names the token endpoint and its methods (RFC 8414), with the version headers', async () => {
    const response = await server.call('readOAuthMetadata');
    expect(response.status).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-api-version': 'v1',
      'x-service-version': expect.stringMatching(/^\d/),
    });
    expect(read(response)).toMatchObject({
      issuer: server.address,
      token_endpoint: `${server.address}/oauth/token`,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      grant_types_supported: ['client_credentials'],
      response_types_supported: [],
      scopes_supported: expect.arrayContaining(['tracks', 'search']),
    });
    const head = await server.http.send('HEAD', METADATA_PATH);
    expect(head.status).toBe(200);
    expect(Number(head.headers['content-length'])).toBe(response.body.length);
    expect(head.body).toHaveLength(0);
  });

  it('names the public address with its path, if one is set', async () => {
    const publicUrl = 'https://api.example.com/music';
    const other = await startTestServer({ tracks: [], config: { publicUrl } });
    expect(read(await other.call('readOAuthMetadata'))).toMatchObject({
      issuer: publicUrl,
      token_endpoint: `${publicUrl}/oauth/token`,
    });
    await other.close();
  });

  it('responds with errors without the envelope, too', async () => {
    expectOAuthError(
      await server.call('readOAuthMetadata', { headers: { Accept: 'image/png' } }),
      406,
      'invalid_request',
    );
    expectOAuthError(await server.http.send('POST', METADATA_PATH), 405, 'invalid_request');
  });
});

import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, newSeat } from '../../../../test/endpoints/sessions-support.ts';
import type { CallOptions } from '../../../../test/harness/call.ts';
import { deliveries } from '../../../../test/harness/catalog.ts';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';
import {
  startTestServer,
  type TestClient,
  type TestServer,
} from '../../../../test/harness/test-server.ts';
import { until } from '../../../../test/harness/until.ts';
import { ALL_SCOPES, FEATURES } from '../../../common/caller.ts';

const ORIGIN = 'https://editor.example';
const OTHER = 'https://other.example';
const FROM_PAGE = { headers: { Origin: ORIGIN } };

testEndpoint({
  operationId: 'createBrowserToken',
  operation: 'POST /v1/auth/browser-token',
  access: 'any-token',
  status: 201,
  request: { body: { origins: [ORIGIN] } },
  expectResponse({ data, headers }) {
    expect(data).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    expect(data).not.toHaveProperty('mode');
    expect(headers['cache-control']).toBe('no-store');
  },
});

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(3) });
  client = await server.createClient({ scopes: ALL_SCOPES, features: FEATURES });
});
afterAll(() => server?.close());

const request = async (body: object, options: CallOptions = {}) =>
  server.call('createBrowserToken', { token: await client.token(), body, ...options });

const tokenOf = async (members: object = {}, options: CallOptions = {}): Promise<string> =>
  (await request({ origins: [ORIGIN], ...members }, options)).data.access_token;

/** The status and the kind of error of a call. */
async function verdict(operation: string, options: CallOptions) {
  const { status, error } = await server.call(operation, options);
  return [status, error.type];
}

describe('a request for a browser token', () => {
  const REFUSED: [body: object, field: string][] = [
    [{}, 'origins'],
    [{ origins: [] }, 'origins'],
    [{ origins: Array.from({ length: 21 }, (_, i) => `https://${i}.example`) }, 'origins'],
    [{ origins: [ORIGIN, ORIGIN] }, 'origins'],
    [{ origins: 'https://editor.example' }, 'origins'],
    ...[
      ...['*', 'null', 'editor.example', 'https://editor.example/', 'https://editor.example:443'],
      ...[
        'http://editor.example',
        'https://*.example',
        'https://Editor.example',
        'ftp://a.example',
      ],
      ...['https://user@editor.example', 'https://editor.example/page', 'http://localhost.example'],
      ...['http://127.0.0.1.example', 'https://b\u00fccher.example', 'https://'],
    ].map((origin): [object, string] => [{ origins: [ORIGIN, origin] }, 'origins[1]']),
    [{ origins: [ORIGIN], expiresIn: 59 }, 'expiresIn'],
    [{ origins: [ORIGIN], expiresIn: 3601 }, 'expiresIn'],
    [{ origins: [ORIGIN], expiresIn: 60.5 }, 'expiresIn'],
    [{ origins: [ORIGIN], user: '' }, 'user'],
    [{ origins: [ORIGIN], user: 'x'.repeat(65) }, 'user'],
    [{ origins: [ORIGIN], user: 'a\nb' }, 'user'],
    [{ origins: [ORIGIN], scopes: 'tracks' }, 'scopes'],
    [{ origins: [ORIGIN], mode: 'live' }, 'mode'],
  ];

  it.each(REFUSED)('%j is refused', async (body, field) => {
    const { status, error } = await request(body);
    expect([status, error.type]).toEqual([400, 'invalid_request']);
    expect(error.details?.[0]?.field).toBe(field);
  });

  it('takes twenty long origins, also on loopback, and names of users in any letters', async () => {
    const long = Array.from(
      { length: 16 },
      (_, i) => `https://${'a'.repeat(60)}.${i}.example:8443`,
    );
    const local = [
      'http://localhost:3000',
      'http://127.0.0.1',
      'http://[::1]:8080',
      'http://app.localhost',
    ];
    const token = await tokenOf({ origins: [...long, ...local], user: '\u{1F3B5}'.repeat(64) });
    for (const Origin of [long[15]!, ...local]) {
      expect(await verdict('listFilters', { token, headers: { Origin } })).toEqual([
        200,
        undefined,
      ]);
    }
    // Neither the origins nor the user can be read in it.
    expect(JSON.stringify(decodeJwt(token))).not.toMatch(/example|localhost|\u{1F3B5}/u);
  });

  it.each([[['licensing']], [['tracks', 'usage']], [['tracks search']], [['nothing']], [[]]])(
    'is refused with the scopes %j',
    async (scopes) => {
      const { status, error } = await request({ origins: [ORIGIN], scopes });
      expect([status, error.type]).toEqual([400, 'invalid_scope']);
    },
  );

  it('grants the scopes for browsers of the token that it was sent with, or some of them', async () => {
    const { data } = await request({ origins: [ORIGIN] });
    expect(data.scope).toBe('filters localization playlists previews search similar tracks');
    const some = await request({ origins: [ORIGIN], scopes: ['tracks', 'search'], expiresIn: 60 });
    expect(some.data).toMatchObject({ scope: 'search tracks', expires_in: 60 });
    const token = await client.token({ scope: 'filters analytics' });
    expect((await request({ origins: [ORIGIN] }, { token })).data.scope).toBe('filters');
    expect((await request({ origins: [ORIGIN], scopes: ['tracks'] }, { token })).status).toBe(400);
    const none = await client.token({ scope: 'analytics' });
    expect((await request({ origins: [ORIGIN] }, { token: none })).error).toMatchObject({
      type: 'invalid_scope',
      message: expect.stringContaining('has none of the scopes'),
    });
  });
});

it('is not given for a token of a session, of a seat or of a secret', async () => {
  const other = await server.createClient();
  const seat = await newSeat(server, other.clientId);
  const bySecret = { client_id: other.clientId, client_secret: other.testSecret };
  for (const body of [{ token: seat.token }, bySecret]) {
    const browser = new Browser(server.http);
    expect((await browser.send('POST', '/session', { body })).status).toBe(201);
    const { status, error } = await request(
      { origins: [ORIGIN] },
      { token: await browser.token() },
    );
    expect([status, error.type]).toEqual([403, 'forbidden']);
  }
});

describe('a browser token', () => {
  it('reads and searches from a page of its origins, and CORS names exactly that origin', async () => {
    const token = await tokenOf({ origins: [ORIGIN, OTHER] });
    for (const Origin of [ORIGIN, OTHER, ORIGIN]) {
      const headers = { Origin };
      for (const [operation, body] of [
        ['listTracks', undefined],
        ['listFilters', undefined],
        ['searchTracks', {}],
        ['listPlaylists', undefined],
      ] as const) {
        const response = await server.call(operation, { token, headers, ...(body && { body }) });
        expect([operation, response.status]).toEqual([operation, 200]);
        expect(response.headers['access-control-allow-origin']).toBe(Origin);
        expect(response.headers.vary).toMatch(/(^|, )Origin(,|$)/);
      }
    }
    // A response that other tokens share keeps their headers.
    const shared = await server.call('listTracks', {
      token: await client.token(),
      headers: { Origin: OTHER },
    });
    expect(shared.headers['access-control-allow-origin']).toBe('*');
  });

  it('is refused from other origins and without one, and no page can read the response', async () => {
    const token = await tokenOf();
    for (const Origin of [OTHER, `${ORIGIN}:8443`, `${ORIGIN}/`, 'null', `${ORIGIN}, ${OTHER}`]) {
      const { status, error, headers } = await server.call('listTracks', {
        token,
        headers: { Origin },
      });
      expect([status, error.type]).toEqual([403, 'forbidden']);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers.vary).toMatch(/Origin/);
    }
    expect(await verdict('listTracks', { token })).toEqual([403, 'forbidden']);
  });

  it('opens no other operation', async () => {
    const token = await tokenOf();
    const options = { token, ...FROM_PAGE };
    expect(await verdict('readMe', options)).toEqual([403, 'forbidden']);
    expect(
      await verdict('createBrowserToken', { ...options, body: { origins: [ORIGIN] } }),
    ).toEqual([403, 'forbidden']);
    expect(await verdict('batchTracks', { ...options, body: { slugs: ['a'] } })).toEqual([
      403,
      'forbidden',
    ]);
    expect(await verdict('signStreams', { ...options, body: {} })).toEqual([403, 'forbidden']);
    for (const operation of [
      'createQuote',
      'listWebhooks',
      'readUsageSummary',
      'listCollections',
    ]) {
      expect(await verdict(operation, { ...options })).toEqual([403, 'insufficient_scope']);
    }
  });

  it('has a preflight that allows its header', async () => {
    const { status, headers } = await server.http.send('OPTIONS', '/v1/search', {
      Origin: ORIGIN,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type',
    });
    expect(status).toBe(204);
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-allow-headers']).toMatch(/Authorization.*Content-Type/);
    expect(headers['access-control-allow-methods']).toContain('POST');
  });

  it('ends with its time, and with the secret that it came from', async () => {
    const short = await tokenOf({ expiresIn: 60 });
    const long = await tokenOf();
    const list = (token: string) => verdict('listTracks', { token, ...FROM_PAGE });
    expect(await list(short)).toEqual([200, undefined]);
    const { iat, exp } = decodeJwt(short);
    expect(exp! - iat!).toBe(60);
    expect(await list(long)).toEqual([200, undefined]);
    const { store, by } = server.operator;
    const { secrets } = (await store.clients.get(client.clientId))!;
    const secret = secrets.find(({ mode }) => mode === 'test')!;
    await store.clients.revokeSecret(client.clientId, secret.id, by);
    await until(async () => (await list(long))[1] === 'invalid_token');
  });
});

it('each user has 120 requests a minute, those without a name have them together, and all count for the client', async () => {
  const other = await server.createClient({ scopes: ['filters'], rateLimit: 250 });
  const own = await other.token();
  const browser = (user?: string) => tokenOf(user === undefined ? {} : { user }, { token: own });
  const [ana, again, bo, nobody] = await Promise.all([
    browser('ana'),
    browser('ana'),
    browser('bo'),
    browser(),
  ]);
  const list = (token: string) => server.call('listFilters', { token, ...FROM_PAGE });
  const times = async (count: number, token: string) => {
    const made = await Promise.all(Array.from({ length: count }, () => list(token)));
    return made.filter(({ status }) => status === 200).length;
  };
  const first = await list(ana!);
  expect(first.headers).toMatchObject({ 'ratelimit-limit': '120', 'ratelimit-remaining': '119' });
  expect(await times(100, ana!)).toBe(100);
  expect(await times(30, again!)).toBe(19);
  const refused = await list(again!);
  expect(refused.status).toBe(429);
  expect(refused.headers['access-control-allow-origin']).toBe(ORIGIN);
  expect(refused.headers['retry-after']).toMatch(/^\d+$/);
  expect(await times(1, bo!)).toBe(1);
  // 4 requests for tokens and 121 of pages; what is refused for a user does not count for the client.
  expect(await times(125, nobody!)).toBe(120);
  const { headers } = await server.call('listFilters', { token: own });
  expect(headers['ratelimit-remaining']).toBe('4');
  expect(await times(10, bo!)).toBe(4);
});

import type { AddressInfo } from 'node:net';
import Type from 'typebox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../common/caller.ts';
import { systemClock } from '../../../common/clock.ts';
import { StaveError } from '../../../common/errors.ts';
import { silentLog } from '../../../common/log.ts';
import { Metrics } from '../metrics/metrics.ts';
import { Readiness } from '../readiness.ts';
import { ResponseCache } from '../response/response-cache.ts';
import { buildServer, type HttpServer } from '../server.ts';
import { type ApiRequest, type ApiResponse, type Route, route } from './route.ts';

const SHARED = { tag: 'T', summary: 'S', description: 'D', errors: [] } as const;

let app: HttpServer;
let base: string;
let catalogVersion: number;
let remaining: number;
/** The requests that the handler received, in order. */
let handled: string[];
/** The response of the handler. */
let respond: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>;

const routes: Route[] = [
  route({
    ...SHARED,
    operationId: 'listThings',
    method: 'GET',
    path: '/v1/things',
    access: { scope: 'tracks' },
    query: Type.Object({ page: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })) }),
    data: Type.Object({}),
    cacheable: true,
    handle: (request) => handle(request),
  }),
  route({
    ...SHARED,
    operationId: 'searchThings',
    method: 'POST',
    path: '/v1/search',
    access: { scope: 'search' },
    body: Type.Object({ text: Type.String() }),
    data: Type.Object({}),
    cacheable: true,
    handle: (request) => handle(request),
  }),
  route({
    ...SHARED,
    operationId: 'listOld',
    method: 'GET',
    path: '/v1/old',
    access: { scope: 'tracks' },
    data: Type.Object({}),
    deprecation: {
      since: new Date('2026-01-01'),
      sunset: new Date('2027-01-01'),
      notes: 'https://example.org/notes',
    },
    handle: (request) => handle(request),
  }),
  route({
    ...SHARED,
    operationId: 'listFresh',
    method: 'GET',
    path: '/v1/fresh',
    access: { scope: 'tracks' },
    data: Type.Object({}),
    handle: (request) => handle(request),
  }),
];

function handle(request: ApiRequest): ApiResponse | Promise<ApiResponse> {
  handled.push(JSON.stringify(request.body) ?? request.rawUrl);
  return respond(request);
}

/** Tokens are `client mode scopes`. */
function authenticate(authorization: string | undefined): Caller {
  const [, clientId = '', mode, scopes = ''] = authorization!.split(' ');
  return {
    clientId,
    mode,
    seat: null,
    browser: null,
    scopes: new Set(scopes.split(',')),
    features: new Set(),
    rateLimit: 100,
  } as unknown as Caller;
}

beforeEach(async () => {
  catalogVersion = 1;
  remaining = 100;
  handled = [];
  respond = ({ caller }) => ({ data: { for: caller!.clientId, number: handled.length } });
  const readiness = new Readiness();
  readiness.serve();
  app = buildServer({
    routes,
    authenticate,
    rateLimiter: {
      take: (_key, limit) => ({
        allowed: --remaining >= 0,
        limit,
        remaining: Math.max(0, remaining),
        resetSeconds: 1,
      }),
    },
    responseCache: new ResponseCache({
      maxBytes: 1_000_000,
      catalogVersion: () => catalogVersion,
    }),
    readiness,
    metrics: new Metrics(),
    clock: systemClock,
    log: silentLog,
    tls: null,
    publicUrl: () => 'https://api.example.org',
    trustProxy: false,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});
afterEach(() => app.close());

async function send(path: string, token = 'one test tracks,search', init: RequestInit = {}) {
  const response = await fetch(base + path, {
    ...init,
    headers: { authorization: `Bearer ${token}`, ...init.headers },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const search = (body: string, type = 'application/json') =>
  send('/v1/search', undefined, { method: 'POST', body, headers: { 'content-type': type } });

it('gives a handler a request without getters, each of which would outlive the request', async () => {
  let getters: unknown[] | undefined;
  respond = (request) => {
    const members = Object.values(Object.getOwnPropertyDescriptors(request));
    getters = members.filter(({ get }) => get !== undefined);
    return { data: {} };
  };
  await send('/v1/fresh');
  expect(getters).toEqual([]);
});

describe('a cacheable route', () => {
  it('responds from the cache to the third equal request', async () => {
    const responses = [];
    for (let i = 0; i < 4; i++) responses.push((await send('/v1/things?page=2')).text);
    expect(handled).toHaveLength(2);
    expect(responses[2]).toBe(responses[1]);
    expect(responses[3]).toBe(responses[1]);
  });

  it('sends the same headers with a response from the cache', async () => {
    const before = await send('/v1/things');
    await send('/v1/things');
    const after = await send('/v1/things');
    expect(handled).toHaveLength(2);
    expect([...after.headers.keys()]).toEqual([...before.headers.keys()]);
    expect(after.headers.get('x-request-id')).not.toBe(before.headers.get('x-request-id'));
    expect(after.headers.get('ratelimit-remaining')).toBe('97');
  });

  it('links to the next page below the public URL, also from the cache', async () => {
    respond = ({ query }) => ({ data: {}, nextPage: ((query as { page?: number }).page ?? 1) + 1 });
    for (let i = 0; i < 3; i++) {
      for (const [queryString, next] of [
        ['', '?page=2'],
        ['?page=4&_=5', '?_=5&page=5'],
      ]) {
        const { headers } = await send(`/v1/things${queryString}`);
        expect(headers.get('link')).toBe(`<https://api.example.org/v1/things${next}>; rel="next"`);
      }
    }
    expect(handled).toHaveLength(4);
    const head = await send('/v1/things', undefined, { method: 'HEAD' });
    expect(head.headers.get('link')).toContain('page=2');
  });

  it('has no link to a next page for a request with a body, or after the last page', async () => {
    respond = () => ({ data: {}, nextPage: 2 });
    expect((await search('{"text":"a"}')).headers.get('link')).toBeNull();
    respond = () => ({ data: {}, nextPage: undefined });
    expect((await send('/v1/things')).headers.get('link')).toBeNull();
  });

  it('shares a response among the clients of a mode, with the URLs of each', async () => {
    const envelopeFor = ({ clientId }: Caller) =>
      Buffer.from(`{"data":{"for":"${clientId}"},"error":{}}`);
    respond = ({ caller }) => ({
      envelope: envelopeFor(caller!),
      share: () => (other) => ({ envelope: envelopeFor(other), issue: {} }),
    });
    for (let i = 0; i < 3; i++) {
      for (const page of [1, 2]) {
        for (const token of ['one test tracks', 'one live tracks', 'two test tracks']) {
          const { text } = await send(`/v1/things?page=${page}`, token);
          expect(JSON.parse(text).data.for).toBe(token.split(' ')[0]);
        }
      }
    }
    // Two for each page and mode.
    expect(handled).toHaveLength(8);
  });

  it('calls the handler if it alone can make the response for a caller', async () => {
    respond = ({ caller }) => ({
      envelope: Buffer.from(`{"for":"${caller!.clientId}"}`),
      share:
        () =>
        ({ clientId }) =>
          clientId === caller!.clientId
            ? { envelope: Buffer.from(`{"for":"${clientId}"}`), issue: {} }
            : undefined,
    });
    for (let i = 0; i < 3; i++) await send('/v1/things', 'one test tracks');
    expect(handled).toHaveLength(2);
    expect((await send('/v1/things', 'other test tracks')).text).toBe('{"for":"other"}');
    expect(handled).toHaveLength(3);
  });

  it('never shares an envelope that cannot be issued to others', async () => {
    respond = ({ caller }) => ({ envelope: Buffer.from(`{"for":"${caller!.clientId}"}`) });
    for (let i = 0; i < 3; i++) {
      for (const client of ['one', 'two']) {
        expect((await send('/v1/things', `${client} test tracks`)).text).toBe(
          `{"for":"${client}"}`,
        );
      }
    }
    expect(handled).toHaveLength(6);
  });

  it('checks the scope, the rate limit and the input before it reads the cache', async () => {
    for (let i = 0; i < 3; i++) await send('/v1/things');
    expect((await send('/v1/things', 'one test search')).status).toBe(403);
    for (let i = 0; i < 3; i++) expect((await send('/v1/things?page=0')).status).toBe(400);
    remaining = 0;
    expect((await send('/v1/things')).status).toBe(429);
    expect(handled).toHaveLength(2);
  });

  it('responds to HEAD like to GET, without the body', async () => {
    const get = await send('/v1/things');
    await send('/v1/things');
    const head = await send('/v1/things', undefined, { method: 'HEAD' });
    expect(handled).toHaveLength(2);
    expect(head.text).toBe('');
    expect(head.headers.get('content-length')).toBe(String(get.text.length));
  });

  it('distinguishes bodies, and still refuses a body of another type', async () => {
    const texts = ['{"text":"a"}', '{"text":"b"}'];
    for (let i = 0; i < 3; i++) {
      for (const body of texts) expect((await search(body)).status).toBe(200);
    }
    expect(handled).toEqual([...texts, ...texts]);
    expect((await search(texts[0]!, 'text/plain')).status).toBe(415);
    expect((await search('{"text":1}')).status).toBe(400);
  });

  it('calls its handler again after a change of the catalog', async () => {
    for (let i = 0; i < 3; i++) await send('/v1/things');
    catalogVersion++;
    await send('/v1/things');
    expect(handled).toHaveLength(3);
  });

  it('does not keep a response if the catalog changed while it was created', async () => {
    await send('/v1/things');
    respond = async () => {
      catalogVersion++;
      return { data: {} };
    };
    await send('/v1/things');
    await send('/v1/things');
    expect(handled).toHaveLength(3);
  });

  it('keeps no error, and no response with its own status or headers', async () => {
    const responses: (() => ApiResponse)[] = [
      () => {
        throw new StaveError('not_found', 'There is nothing.');
      },
      () => ({ data: {}, status: 202 }),
      () => ({ data: {}, headers: { 'X-Own': 'a' } }),
    ];
    for (const one of responses) {
      respond = one;
      for (let i = 0; i < 3; i++) await send('/v1/things');
    }
    expect(handled).toHaveLength(9);
  });
});

it('links a response of a deprecated route to its notes and to the next page', async () => {
  respond = () => ({ data: {}, nextPage: 2 });
  const { headers } = await send('/v1/old');
  expect(headers.get('link')).toBe(
    '<https://example.org/notes>; rel="deprecation"; type="text/html", <https://api.example.org/v1/old?page=2>; rel="next"',
  );
});

it('calls the handler of a route that is not cacheable for each request', async () => {
  for (let i = 0; i < 3; i++) await send('/v1/fresh');
  expect(handled).toHaveLength(3);
});

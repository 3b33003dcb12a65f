import type { AddressInfo } from 'node:net';
import Type from 'typebox';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Caller } from '../../common/caller.ts';
import { systemClock } from '../../common/clock.ts';
import { silentLog } from '../../common/log.ts';
import { Metrics } from './metrics/metrics.ts';
import { Readiness } from './readiness.ts';
import { ResponseCache } from './response/response-cache.ts';
import { route } from './route/route.ts';
import { buildServer, type HttpServer } from './server.ts';

/** What the handler reads before it makes a response. */
let stored: string;
let reads: number;
let made: number;
let catalogVersion: number;
let app: HttpServer;
let base: string;

const things = route({
  tag: 'T',
  summary: 'S',
  description: 'D',
  errors: [],
  operationId: 'listThings',
  method: 'GET',
  path: '/v1/things',
  access: { scope: 'tracks' },
  query: Type.Object({ page: Type.Optional(Type.Integer()) }),
  data: Type.Object({}),
  async handle() {
    reads++;
    return { sharedAs: stored, make: () => ({ data: { stored, number: ++made }, nextPage: 2 }) };
  },
});

async function open(withCache: boolean): Promise<void> {
  const readiness = new Readiness();
  readiness.serve();
  app = buildServer({
    routes: [things],
    authenticate: (authorization) =>
      ({
        clientId: 'one',
        seat: null,
        browser: null,
        mode: authorization!.split(' ')[1],
        scopes: new Set(['tracks']),
        features: new Set(),
        rateLimit: 100,
      }) as unknown as Caller,
    rateLimiter: {
      take: (_key, limit) => ({ allowed: true, limit, remaining: 1, resetSeconds: 1 }),
    },
    ...(withCache && {
      responseCache: new ResponseCache({ maxBytes: 1e6, catalogVersion: () => catalogVersion }),
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
}

beforeEach(() => {
  stored = 'a';
  reads = 0;
  made = 0;
  catalogVersion = 1;
});
afterEach(() => app.close());

async function send(path = '/v1/things', mode = 'test') {
  const response = await fetch(base + path, { headers: { authorization: `Bearer ${mode}` } });
  const { data } = (await response.json()) as { data: { stored: string; number: number } };
  return { data, link: response.headers.get('link') };
}

it('is made twice, and then shared by equal requests until the catalog changes', async () => {
  await open(true);
  for (const number of [1, 2, 2, 2]) expect((await send()).data).toEqual({ stored, number });
  expect(reads).toBe(4);
  catalogVersion++;
  expect((await send()).data.number).toBe(3);
});

it('is another one as soon as what the handler reads is another', async () => {
  await open(true);
  for (let i = 0; i < 3; i++) await send();
  stored = 'b';
  expect((await send()).data.stored).toBe('b');
  stored = 'a';
  expect((await send()).data).toEqual({ stored: 'a', number: 2 });
});

it('differs by URL and mode, and links to its own next page', async () => {
  await open(true);
  for (let i = 0; i < 3; i++) {
    expect((await send()).link).toContain('things?page=2');
    expect((await send('/v1/things?_=1')).link).toContain('things?_=1&page=2');
    await send('/v1/things', 'live');
  }
  expect(made).toBe(6);
});

it('is made for each request without a cache', async () => {
  await open(false);
  for (const number of [1, 2, 3]) expect((await send()).data.number).toBe(number);
});

import type { AddressInfo } from 'node:net';
import Type from 'typebox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../access/caller.ts';
import { systemClock } from '../kernel/clock.ts';
import { StaveError } from '../kernel/errors.ts';
import { silentLog } from '../kernel/log.ts';
import { AnswerCache } from './answer-cache.ts';
import { Metrics } from './metrics.ts';
import { Readiness } from './readiness.ts';
import { type Answer, type ApiRequest, type Route, route } from './route.ts';
import { buildServer, type HttpServer } from './server.ts';

const SHARED = { version: 'v1', tag: 'T', summary: 'S', description: 'D', errors: [] } as const;

let app: HttpServer;
let base: string;
let catalogVersion: number;
let remaining: number;
/** What the handler was asked for, in order. */
let handled: string[];
/** What the handler answers. */
let answer: (request: ApiRequest) => Answer | Promise<Answer>;

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
    operationId: 'listFresh',
    method: 'GET',
    path: '/v1/fresh',
    access: { scope: 'tracks' },
    data: Type.Object({}),
    handle: (request) => handle(request),
  }),
];

function handle(request: ApiRequest): Answer | Promise<Answer> {
  handled.push(JSON.stringify(request.body) ?? request.rawUrl);
  return answer(request);
}

/** Tokens are `client mode scopes`. */
function authenticate(authorization: string | undefined): Caller {
  const [, clientId = '', mode, scopes = ''] = authorization!.split(' ');
  return {
    clientId,
    mode,
    scopes: new Set(scopes.split(',')),
    features: new Set(),
    rateLimit: 100,
  } as unknown as Caller;
}

beforeEach(async () => {
  catalogVersion = 1;
  remaining = 100;
  handled = [];
  answer = ({ caller }) => ({ data: { for: caller!.clientId, number: handled.length } });
  const readiness = new Readiness();
  readiness.serve();
  const period = {};
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
    answers: new AnswerCache({
      maxBytes: 1_000_000,
      catalogVersion: () => catalogVersion,
      urlPeriod: () => period,
    }),
    readiness,
    metrics: new Metrics(),
    clock: systemClock,
    log: silentLog,
    tls: null,
    trustProxy: false,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});
afterEach(() => app.close());

async function ask(path: string, token = 'one test tracks,search', init: RequestInit = {}) {
  const response = await fetch(base + path, {
    ...init,
    headers: { authorization: `Bearer ${token}`, ...init.headers },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const search = (body: string, type = 'application/json') =>
  ask('/v1/search', undefined, { method: 'POST', body, headers: { 'content-type': type } });

describe('a cacheable route', () => {
  it('answers from the cache what was asked twice before', async () => {
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push((await ask('/v1/things?page=2')).text);
    expect(handled).toHaveLength(2);
    expect(answers[2]).toBe(answers[1]);
    expect(answers[3]).toBe(answers[1]);
  });

  it('gives the same headers with an answer from the cache', async () => {
    const before = await ask('/v1/things');
    await ask('/v1/things');
    const after = await ask('/v1/things');
    expect(handled).toHaveLength(2);
    expect([...after.headers.keys()]).toEqual([...before.headers.keys()]);
    expect(after.headers.get('x-request-id')).not.toBe(before.headers.get('x-request-id'));
    expect(after.headers.get('ratelimit-remaining')).toBe('97');
  });

  it('shares nothing between URLs, clients and modes', async () => {
    for (let i = 0; i < 3; i++) {
      for (const page of [1, 2]) {
        for (const token of ['one test tracks', 'one live tracks', 'two test tracks']) {
          const { text } = await ask(`/v1/things?page=${page}`, token);
          expect(JSON.parse(text).data.for).toBe(token.split(' ')[0]);
        }
      }
    }
    expect(handled).toHaveLength(12);
  });

  it('asks for scope and limit first, and refuses bad input', async () => {
    for (let i = 0; i < 3; i++) await ask('/v1/things');
    expect((await ask('/v1/things', 'one test search')).status).toBe(403);
    for (let i = 0; i < 3; i++) expect((await ask('/v1/things?page=0')).status).toBe(400);
    remaining = 0;
    expect((await ask('/v1/things')).status).toBe(429);
    expect(handled).toHaveLength(2);
  });

  it('shares answers to HEAD with GET, without their body', async () => {
    const get = await ask('/v1/things');
    await ask('/v1/things');
    const head = await ask('/v1/things', undefined, { method: 'HEAD' });
    expect(handled).toHaveLength(2);
    expect(head.text).toBe('');
    expect(head.headers.get('content-length')).toBe(String(get.text.length));
  });

  it('tells bodies apart, and still refuses one of a type it does not read', async () => {
    const texts = ['{"text":"a"}', '{"text":"b"}'];
    for (let i = 0; i < 3; i++) {
      for (const body of texts) expect((await search(body)).status).toBe(200);
    }
    expect(handled).toEqual([...texts, ...texts]);
    expect((await search(texts[0]!, 'text/plain')).status).toBe(415);
    expect((await search('{"text":1}')).status).toBe(400);
  });

  it('answers anew when the catalog has changed', async () => {
    for (let i = 0; i < 3; i++) await ask('/v1/things');
    catalogVersion++;
    await ask('/v1/things');
    expect(handled).toHaveLength(3);
  });

  it('does not keep what was made while the catalog changed', async () => {
    await ask('/v1/things');
    answer = async () => {
      catalogVersion++;
      return { data: {} };
    };
    await ask('/v1/things');
    await ask('/v1/things');
    expect(handled).toHaveLength(3);
  });

  it('keeps no error, and nothing with a status or headers of its own', async () => {
    const answers: (() => Answer)[] = [
      () => {
        throw new StaveError('not_found', 'There is nothing.');
      },
      () => ({ data: {}, status: 202 }),
      () => ({ data: {}, headers: { 'X-Own': 'a' } }),
    ];
    for (const one of answers) {
      answer = one;
      for (let i = 0; i < 3; i++) await ask('/v1/things');
    }
    expect(handled).toHaveLength(9);
  });
});

it('a route that is not cacheable answers anew each time', async () => {
  for (let i = 0; i < 3; i++) await ask('/v1/fresh');
  expect(handled).toHaveLength(3);
});

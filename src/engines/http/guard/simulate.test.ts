import Type from 'typebox';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type FeatureServer,
  startFeatureServer,
  tokenOf,
} from '../../../../test/harness/feature-server.ts';
import { ERROR_KINDS, type ErrorKind } from '../../../common/errors.ts';
import { route } from '../route/route.ts';

const KINDS = [
  'rate_limited',
  'unavailable',
  'internal_error',
  'request_timeout',
  'not_found',
  'conflict',
  'gone',
  'precondition_failed',
  'insufficient_scope',
  'feature_not_enabled',
  'invalid_token',
] as const satisfies readonly ErrorKind[];

/** The number of requests that the handler has done. */
let done: number;

const doThing = route({
  operationId: 'doThing',
  method: 'POST',
  path: '/v1/things',
  tag: 'Tracks',
  summary: 'Do',
  description: 'A thing.',
  access: { scope: 'changes', feature: 'changes' },
  // Every kind is declared, so that the OpenAPI document has its schema.
  errors: KINDS,
  body: Type.Object({ text: Type.Optional(Type.String()) }),
  requestHeaders: ['X-Stave-Now'],
  data: Type.Object({ text: Type.Optional(Type.String()) }),
  handle: ({ body }) => {
    done++;
    return { data: body };
  },
});

let server: FeatureServer;
let counted = 0;
beforeAll(async () => {
  server = await startFeatureServer([doThing], {
    rateLimiter: {
      take: (_key, limit) => {
        counted++;
        return { allowed: true, limit, remaining: limit - 1, resetSeconds: 60 };
      },
    },
  });
});
beforeEach(() => {
  done = 0;
  counted = 0;
});
afterAll(() => server.close());

const send = (
  value: string | string[],
  {
    token = tokenOf(),
    body = '{"text":"a"}',
    headers = {},
  }: { token?: string; body?: string; headers?: Record<string, string> } = {},
) =>
  server.http.send(
    'POST',
    '/v1/things',
    {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'X-Stave-Simulate': value,
      ...headers,
    },
    body,
  );

describe('X-Stave-Simulate with a test token', () => {
  it.each(KINDS)('%s is that error, as its schema describes it', async (kind) => {
    // The body is invalid, too, but is never read.
    const response = await send(kind, { body: '[', headers: { 'X-Stave-Now': 'never' } });
    const { error, data } = JSON.parse(response.body.toString());
    expect(response.status).toBe(ERROR_KINDS[kind].status);
    expect({ data, error }).toMatchObject({
      data: {},
      error: { type: kind, message: 'simulated' },
    });
    expect(response.headers).toHaveProperty('ratelimit-limit');
    server.contract.check('doThing', response);
    expect({ done, counted }).toEqual({ done: 0, counted: 1 });
  });

  it('has the usual headers of the error', async () => {
    const retryAfter = async (kind: string) => (await send(kind)).headers['retry-after'];
    expect([await retryAfter('rate_limited'), await retryAfter('unavailable')]).toEqual(['1', '1']);
    const challenge = async (kind: string) => (await send(kind)).headers['www-authenticate'];
    expect(await challenge('invalid_token')).toBe('Bearer realm="stave", error="invalid_token"');
    expect(await challenge('insufficient_scope')).toBe(
      'Bearer realm="stave", error="insufficient_scope", scope="changes"',
    );
  });

  it('slow waits, and goes on', async () => {
    const startedMs = performance.now();
    const response = await send('slow;ms=300');
    expect(performance.now() - startedMs).toBeGreaterThan(290);
    expect(JSON.parse(response.body.toString()).data).toEqual({ text: 'a' });
    expect(done).toBe(1);
  });

  it('lost_response is done, and gets no response', async () => {
    await expect(send('lost_response')).rejects.toThrow();
    expect(done).toBe(1);
    expect((await send('lost_response', { body: '[' })).status).toBe(400);
  });

  it.each<[string | string[]]>([
    [''],
    ['teapot'],
    ['uri_too_long'],
    ['Unavailable'],
    ['slow'],
    ['slow;ms=0'],
    ['slow;ms=10001'],
    ['slow;ms=1.5'],
    ['slow; ms=1'],
    [['gone', 'gone']],
  ])('%j is refused', async (value) => {
    const response = await send(value, { body: '[' });
    const { error } = JSON.parse(response.body.toString());
    expect({ status: response.status, field: error.details[0].field }).toEqual({
      status: 400,
      field: 'X-Stave-Simulate',
    });
    for (const name of [...KINDS, 'slow;ms=1', 'lost_response']) {
      expect(error.message).toContain(name);
    }
    expect(done).toBe(0);
  });

  it('takes effect after the check of the feature', async () => {
    const response = await send('gone', { token: tokenOf({ features: [] }) });
    expect(response.status).toBe(403);
    expect(JSON.parse(response.body.toString()).error.type).toBe('feature_not_enabled');
  });
});

it('X-Stave-Simulate with a live token changes no byte', async () => {
  const token = tokenOf({ mode: 'live' });
  const headers = { 'X-Request-Id': 'same' };
  const plain = await server.http.send(
    'POST',
    '/v1/things',
    { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
    '{"text":"a"}',
  );
  for (const value of [...KINDS, 'slow;ms=10000', 'lost_response', 'teapot', '']) {
    const response = await send(value, { token, headers });
    expect({ ...response, headers: { ...response.headers, date: '' } }).toEqual({
      ...plain,
      headers: { ...plain.headers, date: '' },
    });
  }
});

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StaveClient } from './client.ts';
import { StaveApiError, StaveConnectionError, StaveTimeoutError } from './errors.ts';
import type { EndedAttempt } from './options.ts';
import { type Handler, scriptedServer, send, sendError } from './scripted-server.test-support.ts';

/** Responds in turn, and at last always with the last one. */
function inTurn(...handlers: Handler[]): Handler {
  let next = 0;
  return (request, response) => handlers[Math.min(next++, handlers.length - 1)]!(request, response);
}

const ok: Handler = (_, response) => send(response, 200, { name: 'ok' });

it('sends the body of a write to no other address', async () => {
  const other = await scriptedServer(ok);
  const server = await scriptedServer((_, response) => {
    response.writeHead(307, { location: `${other.url}/v1/search` }).end();
  });
  const stave = server.client();
  await expect(stave.searchTracks({ query: 'x' })).rejects.toMatchObject({ status: 307 });
  expect(other.received).toEqual([]);
  await expect(stave.listFilters({})).resolves.toEqual({ name: 'ok' });
});

describe('the token', () => {
  it('is requested once, however many requests wait for it', async () => {
    const server = await scriptedServer(ok);
    const stave = server.client();
    await Promise.all(Array.from({ length: 50 }, () => stave.readMe()));
    expect(server.tokens()).toBe(1);
    expect(server.received).toHaveLength(50);
    expect(server.received[49]!.headers.authorization).toBe('Bearer token-1');
  });

  it('is renewed before it runs out', async () => {
    // After nine tenths of a second.
    const server = await scriptedServer(ok, { tokenSeconds: 1 });
    const stave = server.client();
    while (server.tokens() < 2) await stave.readMe();
    const refused = server.received.filter(({ headers }) => headers.authorization === undefined);
    expect(refused).toEqual([]);
  });

  it('is replaced once if the service refuses it', async () => {
    const server = await scriptedServer(({ headers }, response) =>
      headers.authorization === 'Bearer token-1'
        ? sendError(response, 401, 'invalid_token')
        : send(response, 200, { name: 'ok' }),
    );
    await expect(server.client().readMe()).resolves.toEqual({ name: 'ok' });
    expect(server.tokens()).toBe(2);
  });

  it('is not requested again and again if the service refuses each', async () => {
    const server = await scriptedServer((_, response) => sendError(response, 401, 'invalid_token'));
    const failed = server.client().readMe();
    await expect(failed).rejects.toMatchObject({ type: 'invalid_token', status: 401 });
    expect(server.tokens()).toBe(2);
  });

  /** Returns the token of an application that has only this one. */
  const getAccessToken = async () =>
    ({
      access_token: 'mine',
      expires_in: 60,
      token_type: 'Bearer',
      scope: '',
      mode: 'live',
    }) as const;

  it('may come from the application', async () => {
    const server = await scriptedServer(ok);
    await server.client({ getAccessToken, clientId: '', clientSecret: '' }).readMe();
    expect(server.received[0]!.headers.authorization).toBe('Bearer mine');
    expect(() => new StaveClient({ baseUrl: server.url })).toThrow('clientId and clientSecret');
  });

  it('is not sent again if the service refuses it and the application has no other', async () => {
    const server = await scriptedServer((_, response) => sendError(response, 401, 'invalid_token'));
    const failed = server.client({ getAccessToken }).readMe();
    await expect(failed).rejects.toMatchObject({ type: 'invalid_token', status: 401 });
    expect(server.received).toHaveLength(1);
  });
});

describe('a request', () => {
  it('fills the path, the query and the body', async () => {
    const server = await scriptedServer(ok);
    const stave = server.client({ language: 'de' });
    await stave.listTracks({ search: 'a&b', filterSlugs: ['x', 'y'], hasVocals: false, page: 2 });
    await stave.updateCollection({ id: 'ä b', ifMatch: '"3"', name: 'New' }, { testTime: 'T' });
    await stave.batchTracks({ tracks: ['one'], language: 'ja' });
    const [list, update, batch] = server.received;
    expect(list!.url).toBe('/v1/tracks?search=a%26b&filterSlugs=x%2Cy&hasVocals=false&page=2');
    expect(list!.headers).toMatchObject({ 'accept-language': 'de' });
    expect(list!.headers['idempotency-key']).toBeUndefined();
    expect(update).toMatchObject({
      method: 'PATCH',
      url: '/v1/collections/%C3%A4%20b',
      body: '{"name":"New"}',
      headers: { 'if-match': '"3"', 'x-stave-now': 'T', 'content-type': 'application/json' },
    });
    expect(batch).toMatchObject({
      url: '/v1/tracks/batch?language=ja',
      body: '{"tracks":["one"]}',
    });
  });

  it('makes keys in a page without TLS, too', async () => {
    const server = await scriptedServer(ok);
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
    onTestFinished(() => void vi.unstubAllGlobals());
    await server.client().createCollection({ name: 'A' });
    expect(server.received[0]!.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
  });

  it('sends a write again with the same key', async () => {
    const unavailable: Handler = (_, response) => sendError(response, 503, 'unavailable');
    const server = await scriptedServer(inTurn(unavailable, unavailable, ok));
    const stave = server.client();
    await stave.createCollection({ name: 'A' });
    await stave.createCollection({ name: 'B' });
    await stave.createCollection({ name: 'C' }, { idempotencyKey: 'mine' });
    const keys = server.received.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(5);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(new Set(keys).size).toBe(3);
    expect(keys[4]).toBe('mine');
  });

  it('waits as long as the service asks, and not longer than the limit', async () => {
    const wait =
      (seconds: string): Handler =>
      (_, response) =>
        sendError(response, 429, 'rate_limited', { 'retry-after': seconds });
    const server = await scriptedServer(inTurn(wait('1'), ok, wait('100')));
    const delays: number[] = [];
    const hooks = { onRetry: ({ delayMs }: { delayMs: number }) => delays.push(delayMs) };
    const stave = server.client({ hooks });
    const start = performance.now();
    await stave.readMe();
    expect(performance.now() - start).toBeGreaterThan(990);
    await expect(stave.readMe()).rejects.toMatchObject({ retryAfterSeconds: 100, status: 429 });
    expect(delays).toHaveLength(1);
  });

  it('ends after the given number of repetitions, with the error of the last one', async () => {
    const server = await scriptedServer((_, response) => {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>');
    });
    const failed = server.client({ maxRetries: 2 }).readMe();
    await expect(failed).rejects.toBeInstanceOf(StaveApiError);
    await expect(failed).rejects.toMatchObject({
      ...{ type: 'unknown', status: 502, requestId: null, docs: null },
    });
    expect(server.received).toHaveLength(3);
  });

  it('is not repeated if a repetition cannot help', async () => {
    const server = await scriptedServer((_, response) => sendError(response, 404, 'not_found'));
    await expect(server.client().showTrack({ slug: 'x' })).rejects.toMatchObject({
      name: 'StaveApiError',
      type: 'not_found',
      message: 'It is not_found.',
      requestId: 'request-1',
      docs: 'https://api.example.com/docs/errors#not_found',
      details: [],
    });
    expect(server.received).toHaveLength(1);
  });

  it('is repeated if the connection breaks, before or within the body', async () => {
    const breaks: Handler = (_, response) => void response.destroy();
    const cuts: Handler = (_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"data":', () => response.destroy());
    };
    const server = await scriptedServer(inTurn(breaks, cuts, ok));
    await expect(server.client().readMe()).resolves.toEqual({ name: 'ok' });
    const closed = new StaveClient({
      baseUrl: 'http://127.0.0.1:1',
      clientId: 'a',
      clientSecret: 'b',
      maxRetries: 0,
    });
    await expect(closed.readMe()).rejects.toBeInstanceOf(StaveConnectionError);
  });

  it('ends in time, also within the body', async () => {
    const server = await scriptedServer((_, response) => {
      response.writeHead(200);
      response.write('{');
    });
    const failed = server.client({ timeoutMs: 50, maxRetries: 1 }).readMe();
    await expect(failed).rejects.toBeInstanceOf(StaveTimeoutError);
    await expect(failed).rejects.toThrow('No whole response arrived in 50 ms');
    expect(server.received).toHaveLength(2);
  });

  it('ends with its signal: waiting for a response, and before a repetition', async () => {
    const server = await scriptedServer(() => {});
    const controller = new AbortController();
    const waiting = server.client().readMe({ signal: controller.signal });
    while (server.received.length === 0) await new Promise(setImmediate);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');

    const busy = await scriptedServer((_, response) =>
      sendError(response, 503, 'unavailable', { 'retry-after': '50' }),
    );
    const second = new AbortController();
    const hooks = { onRetry: () => second.abort(new Error('no more')) };
    await expect(busy.client({ hooks }).readMe({ signal: second.signal })).rejects.toThrow(
      'no more',
    );
    await expect(
      busy.client().readMe({ signal: AbortSignal.abort(new Error('never')) }),
    ).rejects.toThrow('never');
  });

  it('calls the hooks without secrets, whatever they throw', async () => {
    const headers = { 'x-request-id': 'r', 'ratelimit-remaining': '41' };
    const server = await scriptedServer((_, response) => send(response, 200, {}, headers));
    const ended: EndedAttempt[] = [];
    const hooks = {
      onRequest: () => {
        throw new Error('ignored');
      },
      onResponse: (one: EndedAttempt) => ended.push(one),
    };
    const { response } = await server.client({ hooks }).readMe().withResponse();
    expect(response).toMatchObject({ status: 200, requestId: 'r', etag: null });
    expect(ended.map(({ operation }) => operation)).toEqual(['createToken', 'readMe']);
    expect(ended[1]).toMatchObject({
      status: 200,
      requestId: 'r',
      rateLimitRemaining: 41,
      attempt: 1,
    });
    await server
      .client({ hooks })
      .streamTrack({ url: `${server.url}/media/stream/1?signature=secret` });
    expect(ended[2]).toMatchObject({
      operation: 'streamTrack',
      url: `${server.url}/media/stream/1`,
    });
    expect(server.received[1]!.headers.authorization).toBeUndefined();
    expect(JSON.stringify(ended)).not.toMatch(/secret|token-1/);
  });
});

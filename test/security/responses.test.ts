import { describe, expect, it } from 'vitest';
import { SECRET } from '../harness/fixture-routes.ts';
import { TOKEN } from '../harness/fixture-server.ts';
import { until } from '../harness/until.ts';
import { expectData, expectEnvelope, expectStandingHeaders } from './expect-envelope.ts';
import { RawClient } from './raw-client.ts';
import { AUTH, fixture, get, HOST, serveFixture } from './requests-support.ts';

serveFixture();

describe('responses', () => {
  it('keep a well-formed request id and replace any other', async () => {
    const kept = await get('/version', 'X-Request-Id: abc_1.2-3\r\n');
    expect(kept.headers['x-request-id']).toBe('abc_1.2-3');
    for (const bad of ['', 'a b', 'a'.repeat(65), 'ä', 'a, b']) {
      const response = await get('/version', `X-Request-Id: ${bad}\r\n`);
      expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('with a token are private, of a public route revalidated, and of an error not stored', async () => {
    expect((await get('/v1/things')).headers['cache-control']).toBe('private, no-cache');
    expect((await get('/version')).headers['cache-control']).toBe('no-cache');
    expect((await get('/nowhere')).headers['cache-control']).toBe('no-store');
  });

  it.each(['now', 'later', 'oddly'])('of a handler that fails %s reveal nothing', async (how) => {
    const response = await get(`/v1/fails/${how}`);
    const error = expectEnvelope(response, 'internal_error');
    expect(response.body.toString()).not.toMatch(/SELECT|stave\/|at /);
    const line = fixture.lines.find(
      ({ level, fields }) => level === 'error' && fields.requestId === error.requestId,
    );
    expect((line!.fields.err as Error).message).toContain(SECRET);
  });

  it('to a failure that only the operator can end do not name its reason, which is logged', async () => {
    const response = await get('/v1/fails/for-the-operator');
    const { requestId } = expectEnvelope(response, 'unavailable');
    expect(response.body.toString()).not.toContain(SECRET);
    const line = fixture.lines.find(
      ({ level, fields }) => level === 'error' && fields.requestId === requestId,
    );
    expect((line?.fields.err as Error | undefined)?.message).toBe(SECRET);
  });

  it('of binary routes contain bytes; 304 and HEAD have no body', async () => {
    const whole = await get('/media/file/a', '');
    expect(whole.body.toString()).toBe('abcdef');
    expect(whole.headers).toMatchObject({
      'content-type': 'audio/mpeg',
      'content-length': '6',
      'cache-control': 'public, max-age=60',
    });
    expectStandingHeaders(whole);
    const unchanged = await get('/media/file/unchanged', '');
    expect(unchanged.status).toBe(304);
    expect(unchanged.headers.etag).toBe('"a"');
    expect(unchanged.headers['content-length']).toBeUndefined();
    const client = await RawClient.open(fixture.port);
    client.send(`HEAD /media/file/a HTTP/1.1\r\n${HOST}\r\n`);
    expect((await client.response({ head: true }))!.headers['content-length']).toBe('6');
    client.send(`GET /version HTTP/1.1\r\n${HOST}\r\n`);
    expectData((await client.response())!);
    client.close();
  });

  it('end with the connection if their stream fails, which is logged', async () => {
    const client = await RawClient.open(fixture.port);
    client.send(`GET /media/file/broken HTTP/1.1\r\n${HOST}X-Request-Id: broken-1\r\n\r\n`);
    await client.untilClosed();
    expect(client.rest.toString('latin1')).not.toMatch(/abcdef/);
    const errors = fixture.lines.filter(
      ({ level, fields }) => level === 'error' && fields.requestId === 'broken-1',
    );
    expect(errors).toHaveLength(1);
  });

  it('to pipelined requests come in order', async () => {
    const client = await RawClient.open(fixture.port);
    const pages = Array.from({ length: 20 }, (_, i) => i + 1);
    client.send(
      pages.map((page) => `GET /v1/things?page=${page} HTTP/1.1\r\n${HOST}${AUTH}\r\n`).join(''),
    );
    for (const page of pages) {
      expect(expectData((await client.response())!)).toMatchObject({ page });
    }
    client.close();
  });

  it('to garbage after an open request come after the response to that request', async () => {
    const client = await RawClient.open(fixture.port);
    client.send(`GET /v1/slow HTTP/1.1\r\n${HOST}\r\n\x01\x02garbage\r\n\r\n`);
    await until(() => fixture.waiting() > 0);
    fixture.release();
    expect(expectData((await client.response())!)).toEqual({ waited: true });
    expectEnvelope((await client.response())!, 'invalid_request');
    await client.untilClosed();
  });
});

describe('versions', () => {
  it('mark a deprecated version in its headers, beside the next version', async () => {
    const old = await get('/v1/versioned', '');
    expectData(old, 'v1');
    expect(old.headers).toMatchObject({
      deprecation: `@${Date.UTC(2026, 11, 1) / 1000}`,
      sunset: 'Tue, 01 Jun 2027 00:00:00 GMT',
      link: '<https://stave.example/notes>; rel="deprecation"; type="text/html"',
    });
    const next = await get('/v2/versioned', '');
    expectData(next, 'v2');
    expect(next.headers.deprecation).toBeUndefined();
    expectEnvelope(await get('/v2/things'), 'not_found');
  });

  it('mark a deprecated version in its errors, too', async () => {
    const response = await get('/v1/versioned', 'Accept: text/html\r\n');
    expectEnvelope(response, 'not_acceptable');
    expect(response.headers.deprecation).toBeDefined();
  });
});

describe('the log', () => {
  it('has one line for each request, without query and headers', async () => {
    await get('/v1/things?search=sesame', `${AUTH}X-Request-Id: line-1\r\n`);
    const lines = () => fixture.lines.filter(({ fields }) => fields.requestId === 'line-1');
    await until(() => lines().length > 0);
    expect(lines()).toEqual([
      {
        level: 'info',
        message: 'request',
        fields: {
          requestId: 'line-1',
          operationId: 'listThings',
          method: 'GET',
          path: '/v1/things',
          status: 200,
          ms: expect.any(Number),
          clientId: 'client-1',
          secretId: 'secret-1',
        },
      },
    ]);
    expect(JSON.stringify(fixture.lines)).not.toMatch(new RegExp(`sesame|${TOKEN}`));
  });
});

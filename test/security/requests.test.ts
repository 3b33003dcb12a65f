import { describe, expect, it } from 'vitest';
import type { ErrorKind } from '../../src/common/errors.ts';
import { BARE_TOKEN, startFixture } from '../harness/fixture-server.ts';
import { expectData, expectEnvelope } from './expect-envelope.ts';
import { rawRequest } from './raw-client.ts';
import { AUTH, fixture, get, HOST, post, serveFixture } from './requests-support.ts';

serveFixture();

describe('the order of checks', () => {
  // Each request breaks the named rule and all later ones.
  const BAD_ACCEPT = 'Accept: text/html\r\n';
  const long = 'a'.repeat(9000);
  const many = Array.from({ length: 120 }, (_, i) => `X-${i}: a\r\n`).join('');
  it.each<[ErrorKind, string]>([
    ['invalid_request', `PURGE /${long} HTTP/1.1\r\n${HOST}${HOST}\r\n`],
    ['not_implemented', `PURGE /${long} HTTP/1.1\r\n${HOST}${many}Expect: x\r\n${BAD_ACCEPT}\r\n`],
    ['uri_too_long', `GET /${long} HTTP/1.1\r\n${HOST}${many}Expect: x\r\n${BAD_ACCEPT}\r\n`],
    ['headers_too_large', `GET /no HTTP/1.1\r\n${HOST}${many}Expect: x\r\n${BAD_ACCEPT}\r\n`],
    ['expectation_failed', `GET /no HTTP/1.1\r\n${HOST}Expect: x\r\n${BAD_ACCEPT}\r\n`],
    ['not_acceptable', `GET /no HTTP/1.1\r\n${HOST}${BAD_ACCEPT}\r\n`],
    ['not_acceptable', `DELETE /v1/search HTTP/1.1\r\n${HOST}${BAD_ACCEPT}\r\n`],
    ['not_acceptable', `POST /v1/search HTTP/1.1\r\n${HOST}${BAD_ACCEPT}\r\n`],
    ['method_not_allowed', `DELETE /media/file/a HTTP/1.1\r\n${HOST}${BAD_ACCEPT}\r\n`],
    ['not_found', `DELETE /no HTTP/1.1\r\n${HOST}\r\n`],
    ['method_not_allowed', `DELETE /v1/search HTTP/1.1\r\n${HOST}\r\n`],
    [
      'invalid_token',
      `POST /v1/search HTTP/1.1\r\n${HOST}Content-Type: a/b\r\nContent-Length: 99999\r\n\r\n`,
    ],
    [
      'insufficient_scope',
      `POST /v1/search HTTP/1.1\r\n${HOST}Authorization: Bearer ${BARE_TOKEN}\r\nContent-Type: a/b\r\nContent-Length: 99999\r\n\r\n`,
    ],
    [
      'unsupported_media_type',
      `POST /v1/search HTTP/1.1\r\n${HOST}${AUTH}Content-Type: a/b\r\nContent-Length: 99999\r\n\r\n`,
    ],
    [
      'payload_too_large',
      `POST /v1/search HTTP/1.1\r\n${HOST}${AUTH}Content-Type: application/json\r\nContent-Length: 99999\r\n\r\n`,
    ],
    ['invalid_request', `GET /v1/things?page=0 HTTP/1.1\r\n${HOST}${AUTH}\r\n`],
  ])('%s', async (kind, bytes) => {
    expectEnvelope(await rawRequest(fixture.port, bytes), kind);
  });

  it('a reached rate limit comes before scope and body', async () => {
    const limited = await startFixture({ limit: 0 });
    const bytes = `POST /v1/search HTTP/1.1\r\n${HOST}Authorization: Bearer ${BARE_TOKEN}\r\nContent-Type: a/b\r\nContent-Length: 2\r\n\r\n{}`;
    expectEnvelope(await rawRequest(limited.port, bytes), 'rate_limited');
    await limited.app.close();
  });

  it('a missing resource comes after the rules of the parameters', async () => {
    expectEnvelope(await get('/v1/things/missing'), 'not_found');
  });
});

describe('access', () => {
  it('is challenged without an error if no token was sent, and with one if the token is invalid', async () => {
    const none = await get('/v1/things', '');
    expectEnvelope(none, 'invalid_token');
    expect(none.headers['www-authenticate']).toBe('Bearer realm="stave"');
    const bad = await get('/v1/things', 'Authorization: Bearer nonsense\r\n');
    expectEnvelope(bad, 'invalid_token');
    expect(bad.headers['www-authenticate']).toBe('Bearer realm="stave", error="invalid_token"');
  });

  it('is refused with two Authorization headers, even equal ones', async () => {
    expectEnvelope(await get('/v1/things', AUTH + AUTH), 'invalid_token');
  });

  it('to a public route is granted with two Authorization headers', async () => {
    const headers = 'Authorization: a\r\nAuthorization: b\r\nContent-Type: application/json\r\n';
    const data = expectData(await post('/v1/form', '{"name":"x"}', headers));
    expect(data).toMatchObject({ authorization: 'a, b' });
  });

  it('is refused with the name of the missing scope', async () => {
    const response = await get('/v1/things', `Authorization: Bearer ${BARE_TOKEN}\r\n`);
    expectEnvelope(response, 'insufficient_scope');
    expect(response.headers['www-authenticate']).toBe(
      'Bearer realm="stave", error="insufficient_scope", scope="tracks"',
    );
  });

  it('is refused because of a missing feature before a missing scope or parameter', async () => {
    expectEnvelope(await get('/v1/changes'), 'feature_not_enabled');
  });

  it('requires the scope of a feature that is on', async () => {
    const headers = `${AUTH}Content-Type: application/json\r\n`;
    expectEnvelope(await post('/v1/usage', '{}', headers), 'insufficient_scope');
  });
});

describe('rate limits', () => {
  const paths = [
    ['/v1/things', 200],
    ['/v1/things?page=0', 400],
    ['/v1/things/missing', 404],
    ['/v1/changes', 403],
    ['/v1/fails/now', 500],
  ] as const;
  it.each(paths)('are reported and counted on %s (%i)', async (path, status) => {
    const before = fixture.taken();
    const response = await get(path);
    expect(response.status).toBe(status);
    expect(response.headers).toMatchObject({
      'ratelimit-limit': '1000000',
      'ratelimit-reset': '42',
      'ratelimit-policy': '1000000;w=60',
    });
    expect(response.headers['ratelimit-remaining']).toMatch(/^\d+$/);
    expect(fixture.taken()).toBe(before + 1);
  });

  it.each([
    ['/version', ''],
    ['/version', AUTH],
    ['/media/file/a', AUTH],
    ['/docs', AUTH],
    ['/nowhere', AUTH],
    ['/v1/things', 'Authorization: Bearer bad\r\n'],
  ])('are neither reported nor counted on %s', async (path, headers) => {
    const before = fixture.taken();
    const response = await get(path, headers);
    expect(response.headers['ratelimit-limit']).toBeUndefined();
    expect(fixture.taken()).toBe(before);
  });

  it('refuse with Retry-After and the number of remaining requests', async () => {
    const limited = await startFixture({ limit: 1 });
    const bytes = `GET /v1/things HTTP/1.1\r\n${HOST}${AUTH}\r\n`;
    expectData(await rawRequest(limited.port, bytes));
    const response = await rawRequest(limited.port, bytes);
    expectEnvelope(response, 'rate_limited');
    expect(response.headers).toMatchObject({ 'ratelimit-remaining': '0', 'retry-after': '42' });
    expect(limited.metrics.render()).toContain('stave_http_rate_limited_total 1');
    await limited.app.close();
  });

  it('wait for a shared counter that decides later', async () => {
    const decision = { allowed: true, limit: 5, remaining: 4, resetSeconds: 1 };
    const shared = await startFixture({ rateLimiter: { take: async () => decision } });
    const bytes = `GET /v1/things HTTP/1.1\r\n${HOST}${AUTH}\r\n`;
    const response = await rawRequest(shared.port, bytes);
    expectData(response);
    expect(response.headers['ratelimit-policy']).toBe('5;w=60');
    await shared.app.close();
  });
});

describe('Accept', () => {
  it.each(['text/html', 'application/json;q=0', '*/*;q=0', 'application/json;q=0, */*', 'image/*'])(
    '%s excludes JSON',
    async (accept) => {
      expectEnvelope(await get('/version', `Accept: ${accept}\r\n`), 'not_acceptable');
    },
  );

  it.each(['', '*/*', 'application/*', 'text/html, */*;q=0.1', 'application/json; charset=utf-8'])(
    '%j accepts JSON',
    async (accept) => {
      expectData(await get('/version', `Accept: ${accept}\r\n`));
    },
  );

  it.each(['/media/file/a', '/docs'])('is ignored on %s', async (path) => {
    expect((await get(path, 'Accept: audio/mpeg\r\n')).status).toBe(200);
  });
});

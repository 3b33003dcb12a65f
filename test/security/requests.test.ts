import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorKind } from '../../src/kernel/errors.ts';
import { expectData, expectEnvelope, expectStandingHeaders } from './expect-envelope.ts';
import { BARE_TOKEN, type Fixture, SECRET, startFixture, TOKEN } from './fixture-server.ts';
import { RawClient, type RawResponse, rawRequest } from './raw-client.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.app.close());

const HOST = 'Host: localhost\r\n';
const AUTH = `Authorization: Bearer ${TOKEN}\r\n`;

function get(path: string, headers = AUTH, method = 'GET'): Promise<RawResponse> {
  return rawRequest(fixture.port, `${method} ${path} HTTP/1.1\r\n${HOST}${headers}\r\n`);
}

function post(
  path: string,
  body: string | Buffer,
  headers = `${AUTH}Content-Type: application/json\r\n`,
): Promise<RawResponse> {
  const bytes = Buffer.from(body);
  const head = `POST ${path} HTTP/1.1\r\n${HOST}${headers}Content-Length: ${bytes.length}\r\n\r\n`;
  return rawRequest(fixture.port, Buffer.concat([Buffer.from(head, 'latin1'), bytes]));
}

describe('the order of checks', () => {
  // Each request breaks the rule named and every later one.
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

  it('a limit that is used up comes before scope and body', async () => {
    const limited = await startFixture({ limit: 0 });
    const bytes = `POST /v1/search HTTP/1.1\r\n${HOST}Authorization: Bearer ${BARE_TOKEN}\r\nContent-Type: a/b\r\nContent-Length: 2\r\n\r\n{}`;
    expectEnvelope(await rawRequest(limited.port, bytes), 'rate_limited');
    await limited.app.close();
  });

  it('a missing resource comes after the rules of its parameters', async () => {
    expectEnvelope(await get('/v1/things/missing'), 'not_found');
  });
});

describe('who may call', () => {
  it('challenges without an error where no token was sent, and with one where it is bad', async () => {
    const none = await get('/v1/things', '');
    expectEnvelope(none, 'invalid_token');
    expect(none.headers['www-authenticate']).toBe('Bearer realm="stave"');
    const bad = await get('/v1/things', 'Authorization: Bearer nonsense\r\n');
    expectEnvelope(bad, 'invalid_token');
    expect(bad.headers['www-authenticate']).toBe('Bearer realm="stave", error="invalid_token"');
  });

  it('refuses two Authorization headers, even equal ones', async () => {
    expectEnvelope(await get('/v1/things', AUTH + AUTH), 'invalid_token');
  });

  it('shows a public route both of two Authorization headers', async () => {
    const headers = 'Authorization: a\r\nAuthorization: b\r\nContent-Type: application/json\r\n';
    const data = expectData(await post('/v1/form', '{"name":"x"}', headers));
    expect(data).toMatchObject({ authorization: 'a, b' });
  });

  it('names the scope that is missing', async () => {
    const response = await get('/v1/things', `Authorization: Bearer ${BARE_TOKEN}\r\n`);
    expectEnvelope(response, 'insufficient_scope');
    expect(response.headers['www-authenticate']).toBe(
      'Bearer realm="stave", error="insufficient_scope", scope="tracks"',
    );
  });

  it('a feature that is off wins over the scope, and over a missing parameter', async () => {
    expectEnvelope(await get('/v1/changes'), 'feature_not_enabled');
  });

  it('a feature that is on still needs its scope', async () => {
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
  it.each(paths)('are told and counted on %s, answered %i', async (path, status) => {
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
  ])('are neither told nor counted on %s', async (path, headers) => {
    const before = fixture.taken();
    const response = await get(path, headers);
    expect(response.headers['ratelimit-limit']).toBeUndefined();
    expect(fixture.taken()).toBe(before);
  });

  it('refuse with Retry-After, and say what is left', async () => {
    const limited = await startFixture({ limit: 1 });
    const bytes = `GET /v1/things HTTP/1.1\r\n${HOST}${AUTH}\r\n`;
    expectData(await rawRequest(limited.port, bytes));
    const response = await rawRequest(limited.port, bytes);
    expectEnvelope(response, 'rate_limited');
    expect(response.headers).toMatchObject({ 'ratelimit-remaining': '0', 'retry-after': '42' });
    expect(limited.metrics.render()).toContain('stave_http_rate_limited_total 1');
    await limited.app.close();
  });

  it('wait for a shared counter that answers later', async () => {
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
    '%j lets JSON through',
    async (accept) => {
      expectData(await get('/version', `Accept: ${accept}\r\n`));
    },
  );

  it.each(['/media/file/a', '/docs'])('is not looked at on %s', async (path) => {
    expect((await get(path, 'Accept: audio/mpeg\r\n')).status).toBe(200);
  });
});

describe('parameters', () => {
  it('are read into the types of their schema, with defaults', async () => {
    const id = '6f2c1c52-7a4b-5d0e-9b61-2f0a3c7d8e11';
    const path = `/v1/things?search=a+b%20%C3%A9&hasVocals=false&filterIds=${id},${id}&pageSize=007&unknown=1&unknown=2`;
    expect(expectData(await get(path))).toEqual({
      search: 'a b é',
      hasVocals: false,
      filterIds: [id, id],
      page: 1,
      pageSize: 7,
    });
  });

  it('an empty list is an empty list', async () => {
    expect(expectData(await get('/v1/things?filterIds='))).toMatchObject({ filterIds: [] });
  });

  const PAGE = 'page must be a whole number from 1 to 2147483647';
  it.each([
    ['page=0', PAGE],
    ['page=-1', PAGE],
    ['page=1e2', PAGE],
    ['page=0x10', PAGE],
    ['page=+1', PAGE],
    ['page=%2B1', PAGE],
    ['page=1.0', PAGE],
    ['page=', PAGE],
    ['page', PAGE],
    ['page=99999999999999999999999', PAGE],
    ['page=1&page=1', 'page must be given once'],
    ['page=1&p%61ge=2', 'page must be given once'],
    ['pageSize=101', 'pageSize must be a whole number from 1 to 100'],
    ['hasVocals=1', 'hasVocals must be true or false'],
    ['hasVocals=TRUE', 'hasVocals must be true or false'],
    ['type=Music', 'type must be music or sfx'],
    ['type=', 'type must be music or sfx'],
    ['filterIds=a', 'filterIds[0] must be a UUID'],
    ['filterIds=,', 'filterIds[0] must not be empty'],
    [
      `filterIds=${Array(51).fill('a').join(',')}`,
      'filterIds must hold at most 50 entries, not 51',
    ],
    [`search=${'a'.repeat(201)}`, 'search must be at most 200 characters long'],
    ['search=a%00b', 'search must not hold the character NUL'],
    ['search=%ff', 'search must be UTF-8 in percent-encoding'],
    ['search=%ed%a0%80', 'search must be UTF-8 in percent-encoding'],
    ['search=%', 'search must be UTF-8 in percent-encoding'],
    ['%ff=1', 'query must be UTF-8 in percent-encoding'],
  ])('%s is refused', async (query, message) => {
    const error = expectEnvelope(await get(`/v1/things?${query}`), 'invalid_request');
    expect(error.details![0]!.message).toBe(message);
    expect(error.message.startsWith(message)).toBe(true);
  });

  it('200 characters are counted as characters, not as bytes or code units', async () => {
    const clefs = encodeURIComponent('𝄞'.repeat(200));
    expect(expectData(await get(`/v1/things?search=${clefs}`))).toMatchObject({
      search: '𝄞'.repeat(200),
    });
  });

  it('all problems are told together', async () => {
    const query = 'page=x&pageSize=0&type=song&filterIds=a,,b';
    const error = expectEnvelope(await get(`/v1/things?${query}`), 'invalid_request');
    expect(error.details!.map(({ field }) => field)).toEqual([
      'page',
      'pageSize',
      'type',
      'filterIds[1]',
    ]);
    expect(error.message).toBe(`${PAGE}; 3 more problems are listed in details.`);
  });

  it('the path is decoded once, and the raw URL is kept as sent', async () => {
    expect(expectData(await get('/v1/things/a%2Fb%2541?q=%7e'))).toEqual({
      slug: 'a/b%41',
      rawUrl: '/v1/things/a%2Fb%2541?q=%7e',
    });
  });
});

describe('bodies', () => {
  it('are read with defaults', async () => {
    const data = expectData(await post('/v1/search', ' {"type":"sfx","filterIds":[]} '));
    expect(data).toEqual({ type: 'sfx', filterIds: [], page: 1, pageSize: 20 });
  });

  it.each<[string, string | Buffer, string]>([
    ['empty', '', 'body is empty; send a JSON object'],
    ['blank', ' \n', 'body is empty; send a JSON object'],
    ['truncated', '{"page": 1', 'body is not JSON: it ends too early'],
    ['not JSON', '{"page": 1,}', 'body is not JSON: line 1, column 12 is unexpected'],
    ['null', 'null', 'body must be an object'],
    ['an array', '[]', 'body must be an object'],
    ['a text', '"a"', 'body must be an object'],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'body must be UTF-8'],
    ['UTF-16', Buffer.from('{}', 'utf16le'), 'body is not JSON: line 1, column 2 is unexpected'],
    [
      'nested 33 deep',
      `${'['.repeat(33)}${']'.repeat(33)}`,
      'body must not be nested deeper than 32 levels',
    ],
    [
      'nested 10,000 deep',
      `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
      'body must not be nested deeper than 32 levels',
    ],
    ['a member twice', '{"page": 1, "p\\u0061ge": 2}', 'page must be given once'],
    ['__proto__', '{"__proto__": {"a": 1}}', '__proto__ is not a member that a body may have'],
    [
      'constructor',
      '{"constructor": {"prototype": {}}}',
      'constructor is not a member that a body may have',
    ],
    ['a number as text', '{"page": "1"}', 'page must be a whole number from 1 to 2147483647'],
    ['true as a number', '{"page": true}', 'page must be a whole number from 1 to 2147483647'],
    ['a fraction', '{"page": 1.5}', 'page must be a whole number from 1 to 2147483647'],
    ['a scalar as a list', '{"filterIds": "x"}', 'filterIds must be a list'],
    ['a null member', '{"type": null}', 'type must not be null; leave it out'],
    ['a null entry', '{"filterIds": [null]}', 'filterIds[0] must not be null; leave it out'],
    [
      'a misspelt member',
      '{"pagesize": 5}',
      'pagesize is not a member of this body (did you mean pageSize?)',
    ],
    ['a lone surrogate', '{"search": "\\ud800"}', 'search must not hold half of a surrogate pair'],
    ['NUL', '{"search": "a\\u0000"}', 'search must not hold the character NUL'],
  ])('%s', async (_what, body, message) => {
    const error = expectEnvelope(await post('/v1/search', body), 'invalid_request');
    expect(error.details![0]!.message).toBe(message);
  });

  it('an unknown member far from any known one is told the known ones', async () => {
    const error = expectEnvelope(await post('/v1/search', '{"zzzzzzzzz": 5}'), 'invalid_request');
    expect(error.message).toBe(
      'zzzzzzzzz is not a member of this body; known are search, type, hasVocals, filterIds, page and pageSize.',
    );
  });

  it('nothing sticks to the prototype of objects', async () => {
    await post('/v1/search', '{"__proto__": {"polluted": 1}}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expectData(await post('/v1/search', '{}'));
  });

  it('no body at all is invalid, with or without a type', async () => {
    const headers = 'Content-Type: application/json\r\n';
    expectEnvelope(await get('/v1/search', `${AUTH}${headers}`, 'POST'), 'invalid_request');
    expectEnvelope(await get('/v1/search', AUTH, 'POST'), 'invalid_request');
  });

  it.each([
    ['no type', ''],
    ['text', 'Content-Type: text/plain\r\n'],
    ['another charset', 'Content-Type: application/json; charset=utf-16\r\n'],
    ['latin1', 'Content-Type: application/json;charset="ISO-8859-1"\r\n'],
    ['a malformed type', 'Content-Type: application/json; x\r\n'],
    ['a form where JSON is read', 'Content-Type: application/x-www-form-urlencoded\r\n'],
    ['gzip', 'Content-Type: application/json\r\nContent-Encoding: gzip\r\n'],
    ['two types', 'Content-Type: application/json\r\nContent-Type: text/plain\r\n'],
    ['garbage', 'Content-Type: ;;;\r\n'],
  ])('of another type are refused: %s', async (_what, headers) => {
    const response = await post('/v1/search', '{}', AUTH + headers);
    expectEnvelope(response, 'unsupported_media_type');
  });

  it.each([
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json;',
  ])('of type %s are read', async (type) => {
    expectData(await post('/v1/search', '{}', `${AUTH}Content-Type: ${type}\r\n`));
  });

  it('64 KiB are read, a byte more is too large, and the connection goes on', async () => {
    const client = await RawClient.open(fixture.port);
    const sent = (length: number) => {
      const body = `{"search": "${' '.repeat(length - 14)}"}`;
      return `POST /v1/search HTTP/1.1\r\n${HOST}${AUTH}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
    };
    expectEnvelope((await client.send(sent(65_536)).response())!, 'invalid_request');
    expectEnvelope((await client.send(sent(65_537)).response())!, 'payload_too_large');
    expectData((await client.send(`GET /version HTTP/1.1\r\n${HOST}\r\n`).response())!);
    client.close();
  });

  it('far too large ones are answered while they still come, and the connection goes on', async () => {
    const client = await RawClient.open(fixture.port);
    const length = 5_000_000;
    client.send(
      `POST /v1/search HTTP/1.1\r\n${HOST}${AUTH}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
    );
    expectEnvelope((await client.response())!, 'payload_too_large');
    client.send(' '.repeat(length));
    expectData((await client.send(`GET /version HTTP/1.1\r\n${HOST}\r\n`).response())!);
    client.close();
  });

  it('are bounded in chunks too', async () => {
    const head = `POST /v1/search HTTP/1.1\r\n${HOST}${AUTH}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    const response = await rawRequest(fixture.port, `${head}${chunk.repeat(5)}0\r\n\r\n`);
    expectEnvelope(response, 'payload_too_large');
    expectData(await rawRequest(fixture.port, `${head}2\r\n{}\r\n0\r\n\r\n`));
  });

  it('a chunk that is no chunk is answered for the request it belongs to', async () => {
    const client = await RawClient.open(fixture.port);
    client.send(
      `POST /v1/search HTTP/1.1\r\n${HOST}${AUTH}X-Request-Id: mine\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    );
    const response = (await client.response())!;
    expect(expectEnvelope(response, 'invalid_request').requestId).toBe('mine');
    expect(response.headers['ratelimit-limit']).toBeDefined();
    await client.untilClosed();
  });

  it('forms are read as objects of texts, where a route takes them', async () => {
    const headers = 'Content-Type: application/x-www-form-urlencoded\r\n';
    const data = expectData(await post('/v1/form', 'name=a+b%C3%A9&other=1&__proto__=2', headers));
    expect(data).toMatchObject({ name: 'a bé', other: '1' });
    for (const form of ['name=a&name=b', 'name=%ff', '%ff=a', 'other=1', 'name=a%00']) {
      expectEnvelope(await post('/v1/form', form, headers), 'invalid_request');
    }
  });

  it('are passed over with GET', async () => {
    const client = await RawClient.open(fixture.port);
    client.send(`GET /version HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nhello`);
    expectData((await client.response())!);
    client.send(`GET /version HTTP/1.1\r\n${HOST}\r\n`);
    expectData((await client.response())!);
    client.close();
  });
});

describe('answers', () => {
  it('keep a well-formed request id and replace any other', async () => {
    const kept = await get('/version', 'X-Request-Id: abc_1.2-3\r\n');
    expect(kept.headers['x-request-id']).toBe('abc_1.2-3');
    for (const bad of ['', 'a b', 'a'.repeat(65), 'ä', 'a, b']) {
      const response = await get('/version', `X-Request-Id: ${bad}\r\n`);
      expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('of a token are private, of a public route revalidated, of an error not stored', async () => {
    expect((await get('/v1/things')).headers['cache-control']).toBe('private, no-cache');
    expect((await get('/version')).headers['cache-control']).toBe('no-cache');
    expect((await get('/nowhere')).headers['cache-control']).toBe('no-store');
  });

  it.each(['now', 'later', 'oddly'])('a handler that fails %s shows nothing', async (how) => {
    const response = await get(`/v1/fails/${how}`);
    const error = expectEnvelope(response, 'internal_error');
    expect(response.body.toString()).not.toMatch(/SELECT|stave\/|at /);
    const line = fixture.lines.find(
      ({ level, fields }) => level === 'error' && fields.requestId === error.requestId,
    );
    expect((line!.fields.err as Error).message).toContain(SECRET);
  });

  it('binary routes answer bytes, 304 and HEAD without a body', async () => {
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

  it('a stream that breaks ends the connection, and is logged', async () => {
    const client = await RawClient.open(fixture.port);
    client.send(`GET /media/file/broken HTTP/1.1\r\n${HOST}X-Request-Id: broken-1\r\n\r\n`);
    await client.untilClosed();
    expect(client.rest.toString('latin1')).not.toMatch(/abcdef/);
    const errors = fixture.lines.filter(
      ({ level, fields }) => level === 'error' && fields.requestId === 'broken-1',
    );
    expect(errors).toHaveLength(1);
  });

  it('of pipelined requests come in order', async () => {
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

  it('garbage after a request that is still open waits for its answer', async () => {
    const client = await RawClient.open(fixture.port);
    client.send(`GET /v1/slow HTTP/1.1\r\n${HOST}\r\n\x01\x02garbage\r\n\r\n`);
    while (fixture.waiting() === 0) {
      await new Promise(setImmediate);
    }
    fixture.release();
    expect(expectData((await client.response())!)).toEqual({ waited: true });
    expectEnvelope((await client.response())!, 'invalid_request');
    await client.untilClosed();
  });
});

describe('versions', () => {
  it('a deprecated version says so, and the next one lives beside it', async () => {
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

  it('an error of a deprecated version says so too', async () => {
    const response = await get('/v1/versioned', 'Accept: text/html\r\n');
    expectEnvelope(response, 'not_acceptable');
    expect(response.headers.deprecation).toBeDefined();
  });
});

describe('the log', () => {
  it('has one line a request, without query or headers', async () => {
    await get('/v1/things?search=sesame', `${AUTH}X-Request-Id: line-1\r\n`);
    const lines = () => fixture.lines.filter(({ fields }) => fields.requestId === 'line-1');
    while (lines().length === 0) {
      await new Promise(setImmediate);
    }
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
        },
      },
    ]);
    expect(JSON.stringify(fixture.lines)).not.toMatch(new RegExp(`sesame|${TOKEN}`));
  });
});

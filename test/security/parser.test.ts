import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorKind } from '../../src/common/errors.ts';
import { type Fixture, startFixture, TOKEN } from '../harness/fixture-server.ts';
import { expectData, expectEnvelope, expectStandingHeaders } from './expect-envelope.ts';
import { RawClient, rawRequest } from './raw-client.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.app.close());

const HOST = 'Host: localhost\r\n';
const AUTH = `Authorization: Bearer ${TOKEN}\r\n`;
const JSON_BODY = 'Content-Type: application/json\r\n';

function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\n${HOST}${headers}\r\n`;
}

describe('the parser', () => {
  const refused: [string, string, ErrorKind][] = [
    ['garbage', '\x00\xff\xfegarbage\r\n\r\n', 'invalid_request'],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'invalid_request'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'invalid_request'],
    ['HTTP/2.0 in words', `GET /version HTTP/2.0\r\n${HOST}\r\n`, 'invalid_request'],
    ['an unknown version', `GET /version HTTP/1.7\r\n${HOST}\r\n`, 'invalid_request'],
    ['a missing Host', 'GET /version HTTP/1.1\r\n\r\n', 'invalid_request'],
    ['two Hosts', `GET /version HTTP/1.1\r\n${HOST}${HOST}\r\n`, 'invalid_request'],
    ['two Hosts in HTTP/1.0', `GET /version HTTP/1.0\r\n${HOST}${HOST}\r\n`, 'invalid_request'],
    ['a Host with a comma', 'GET /version HTTP/1.1\r\nHost: a, b\r\n\r\n', 'invalid_request'],
    ['an empty Host', 'GET /version HTTP/1.1\r\nHost:\r\n\r\n', 'invalid_request'],
    ['a Host with user info', 'GET /version HTTP/1.1\r\nHost: u@a\r\n\r\n', 'invalid_request'],
    ['a Host with a path', 'GET /version HTTP/1.1\r\nHost: a/b\r\n\r\n', 'invalid_request'],
    ['a folded header', get('/version', 'X-A: b\r\n c\r\n'), 'invalid_request'],
    ['a space before the colon', get('/version', 'X-A : b\r\n'), 'invalid_request'],
    ['a header without a colon', get('/version', 'X-A\r\n'), 'invalid_request'],
    ['a bare line feed', 'GET /version HTTP/1.1\nHost: a\n\n', 'invalid_request'],
    ['a NUL in a header', get('/version', 'X-A: b\0c\r\n'), 'invalid_request'],
    [
      'Content-Length and Transfer-Encoding',
      `POST /v1/search HTTP/1.1\r\n${HOST}${JSON_BODY}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      'invalid_request',
    ],
    [
      'two Content-Lengths',
      `POST /v1/search HTTP/1.1\r\n${HOST}${JSON_BODY}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
      'invalid_request',
    ],
    [
      'a Content-Length list',
      `POST /v1/search HTTP/1.1\r\n${HOST}${JSON_BODY}Content-Length: 2, 2\r\n\r\n{}`,
      'invalid_request',
    ],
    [
      'a Content-Length with a sign',
      `POST /v1/search HTTP/1.1\r\n${HOST}${JSON_BODY}Content-Length: +2\r\n\r\n{}`,
      'invalid_request',
    ],
    ...['', 'gzip', 'identity', 'gzip, chunked', 'xchunked', ', chunked', '\x0bchunked'].map(
      (coding): [string, string, ErrorKind] => [
        `Transfer-Encoding ${JSON.stringify(coding)}`,
        `POST /v1/search HTTP/1.1\r\n${HOST}${AUTH}${JSON_BODY}Transfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`,
        'invalid_request',
      ],
    ),
    [
      'an empty Transfer-Encoding beside a Content-Length',
      `POST /v1/search HTTP/1.1\r\n${HOST}${AUTH}${JSON_BODY}Transfer-Encoding:\r\nContent-Length: 2\r\n\r\n{}`,
      'invalid_request',
    ],
    [
      'Transfer-Encoding in HTTP/1.0',
      `POST /v1/search HTTP/1.0\r\n${HOST}${JSON_BODY}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      'invalid_request',
    ],
    ['two spaces before the target', get(' /version'), 'invalid_request'],
    ['two spaces after the target', get('/version '), 'invalid_request'],
    ['a fragment', get('/version#top'), 'invalid_request'],
    ['a target without a slash', get('version'), 'invalid_request'],
    ['an absolute target of another scheme', get('ftp://localhost/version'), 'invalid_request'],
    ['an asterisk outside OPTIONS', get('*'), 'invalid_request'],
    ['a bad % in the path', get('/v1/things/%zz'), 'invalid_request'],
    ['a path that is not UTF-8', get('/v1/things/%ff'), 'invalid_request'],
  ];
  it.each(refused)('refuses %s', async (_what, bytes, kind) => {
    expectEnvelope(await rawRequest(fixture.port, bytes), kind);
  });

  it('closes the connection after bad framing', async () => {
    const client = await RawClient.open(fixture.port);
    client.send(`GET /version HTTP/1.1\r\n${HOST}X-A: b\r\n c\r\n\r\n${get('/version')}`);
    const response = await client.response();
    expectEnvelope(response!, 'invalid_request');
    expect(response!.headers.connection).toBe('close');
    await client.untilClosed();
    expect(client.rest.length).toBe(0);
  });

  it.each(['at once', 'in pieces'])(
    'counts the spaces of a request line that comes %s',
    async (how) => {
      const client = await RawClient.open(fixture.port);
      const pieces = [
        get('/version'),
        `\r\n\r\n${get('/version')}`,
        'GET /version  HTTP/1.1\r\n',
        `${HOST}\r\n`,
      ];
      client.send(how === 'at once' ? pieces.join('') : '');
      if (how === 'in pieces') {
        for (const byte of pieces.join('')) {
          await new Promise<void>((resolve) => client.socket.write(byte, () => resolve()));
        }
      }
      expectData((await client.response())!);
      expectData((await client.response())!);
      const refused = (await client.response())!;
      expect(expectEnvelope(refused, 'invalid_request').message).toMatch(/one space/);
      await client.untilClosed();
    },
  );

  it('accepts a request of HTTP/1.0 without a Host', async () => {
    expectData(await rawRequest(fixture.port, 'GET /version HTTP/1.0\r\n\r\n'));
  });

  it('accepts an absolute target', async () => {
    expectData(await rawRequest(fixture.port, get('http://elsewhere:80/version?_=b')));
    expectEnvelope(await rawRequest(fixture.port, get('http://elsewhere')), 'not_found');
  });

  it('requires percent-encoding of bytes beyond ASCII in the URL', async () => {
    const raw = Buffer.from(get('/v1/things?search=beyoncé', AUTH), 'utf8');
    const error = expectEnvelope(await rawRequest(fixture.port, raw), 'invalid_request');
    expect(error.message).toBe('The URL holds characters that must be percent-encoded.');
  });

  it.each(['Connection: Upgrade\r\nUpgrade: websocket\r\n', 'Upgrade: h2c\r\n'])(
    'ignores an upgrade (%j) and ends the connection, because Node drops the bytes after it',
    async (headers) => {
      const client = await RawClient.open(fixture.port);
      client.send(`${get('/version', headers)}${get('/v1/things', AUTH)}`);
      const response = (await client.response())!;
      expectData(response);
      expect(response.headers.connection).toBe('close');
      await client.untilClosed();
      expect(client.rest.length).toBe(0);
    },
  );

  it('reads the body of a request with an upgrade', async () => {
    const upgrade = `${HOST}${AUTH}${JSON_BODY}Connection: Upgrade\r\nUpgrade: x\r\nContent-Length: 11\r\n`;
    const response = await rawRequest(
      fixture.port,
      `POST /v1/search HTTP/1.1\r\n${upgrade}\r\n{"page": 3}`,
    );
    expect(expectData(response)).toMatchObject({ page: 3 });
    expect(response.headers.connection).toBe('close');
  });
});

describe('methods', () => {
  it.each(['PROPFIND', 'PURGE', 'QUERY', 'M-SEARCH', 'FOO', 'get', 'DESCRIBE', 'X!#$%'])(
    '%s gets 501',
    async (method) => {
      const bytes = `${method} /version HTTP/1.1\r\n${HOST}\r\n`;
      expectEnvelope(await rawRequest(fixture.port, bytes), 'not_implemented');
    },
  );

  it('an unknown method gets 501 after a good request in the same packet', async () => {
    const client = await RawClient.open(fixture.port);
    client.send(`${get('/version')}FOO / HTTP/1.1\r\n${HOST}\r\n`);
    expectData((await client.response())!);
    expectEnvelope((await client.response())!, 'not_implemented');
    await client.untilClosed();
  });

  it('CONNECT gets 405, and the connection closes', async () => {
    const client = await RawClient.open(fixture.port);
    client.send(
      'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\nX-Request-Id: mine\r\n\r\n',
    );
    const response = (await client.response())!;
    expect(response.headers['x-request-id']).toBe('mine');
    expectEnvelope(response, 'method_not_allowed');
    expect(response.headers.allow).toBe('GET, HEAD, POST, OPTIONS');
    await client.untilClosed();
  });

  it.each([
    ['DELETE', '/v1/things', 'GET, HEAD, OPTIONS'],
    ['TRACE', '/v1/things', 'GET, HEAD, OPTIONS'],
    ['POST', '/v1/things/a', 'GET, HEAD, OPTIONS'],
    ['GET', '/v1/search', 'POST, OPTIONS'],
    ['PATCH', '/docs', 'GET, HEAD, OPTIONS'],
  ])('%s %s gets 405', async (method, path, allow) => {
    const response = await rawRequest(fixture.port, `${method} ${path} HTTP/1.1\r\n${HOST}\r\n`);
    expectEnvelope(response, 'method_not_allowed');
    expect(response.headers.allow).toBe(allow);
  });

  it('HEAD has the headers of GET and no body', async () => {
    const client = await RawClient.open(fixture.port);
    const bytes = `HEAD /version HTTP/1.1\r\n${HOST}\r\n`;
    const head = (await client.send(bytes).response({ head: true }))!;
    const whole = (await client.send(get('/version')).response())!;
    expect(head.status).toBe(200);
    expect(head.headers['content-length']).toBe(String(whole.body.length));
    expectStandingHeaders(head);
    const missing = `HEAD /nowhere HTTP/1.1\r\n${HOST}\r\n`;
    expect((await client.send(missing).response({ head: true }))!.status).toBe(404);
    expectData((await client.send(get('/version')).response())!);
    client.close();
  });

  it('OPTIONS lists the methods without a token and without being counted', async () => {
    const before = fixture.taken();
    const preflight = `OPTIONS /v1/search HTTP/1.1\r\n${HOST}Origin: https://a.example\r\nAccess-Control-Request-Method: POST\r\n\r\n`;
    const response = await rawRequest(fixture.port, preflight);
    expect(response.status).toBe(204);
    expect(response.headers.allow).toBe('POST, OPTIONS');
    expect(response.headers['access-control-allow-methods']).toBe('POST, OPTIONS');
    expect(response.headers['access-control-allow-headers']).toBe(
      'Authorization, Content-Type, Range, If-Range, If-None-Match, X-Request-Id, ' +
        'Idempotency-Key, If-Match, Accept-Language, X-Stave-Simulate, X-Stave-Now',
    );
    expect(response.headers['access-control-max-age']).toBe('86400');
    expect(response.headers['content-length']).toBeUndefined();
    expectStandingHeaders(response);
    expect(fixture.taken()).toBe(before);
  });

  it('OPTIONS * lists all methods; on an unknown path, OPTIONS gets 404', async () => {
    const all = await rawRequest(fixture.port, `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`);
    expect(all.status).toBe(204);
    expect(all.headers.allow).toBe('GET, HEAD, POST, OPTIONS');
    const nowhere = `OPTIONS /nowhere HTTP/1.1\r\n${HOST}\r\n`;
    expectEnvelope(await rawRequest(fixture.port, nowhere), 'not_found');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture, TOKEN } from '../harness/fixture-server.ts';
import { expectData, expectEnvelope } from './expect-envelope.ts';
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

describe('a request whose connection ends too early', () => {
  const SEARCH = `POST /v1/search HTTP/1.1\r\n${HOST}${AUTH}${JSON_BODY}`;
  const bodyMessage = 'The body ended early: the connection was closed before all of it had come.';

  it.each([
    ['in a body of known length', `${SEARCH}Content-Length: 50\r\n\r\n{"page": 1}`, bodyMessage],
    ['before a body', `${SEARCH}Content-Length: 50\r\n\r\n`, bodyMessage],
    ['in a chunk', `${SEARCH}Transfer-Encoding: chunked\r\n\r\n20\r\n{"page": 1}`, bodyMessage],
    [
      'before the last chunk',
      `${SEARCH}Transfer-Encoding: chunked\r\n\r\nb\r\n{"page": 1}\r\n`,
      bodyMessage,
    ],
    [
      'in the head',
      `GET /version HTTP/1.1\r\n${HOST}`,
      'The request ended early: the connection was closed before the end of its headers.',
    ],
  ])('gets an error that says so: %s', async (_where, bytes, message) => {
    const client = await RawClient.open(fixture.port);
    client.send(bytes).socket.end();
    const response = (await client.response())!;
    expect(expectEnvelope(response, 'invalid_request').message).toBe(message);
    await client.untilClosed();
  });
});

describe('limits of the head', () => {
  it('a URL of 8 KB is accepted, and a longer one is too long', async () => {
    const fits = `/v1/things?_=${'a'.repeat(8192 - 13)}`;
    expectData(await rawRequest(fixture.port, get(fits, AUTH)));
    expectEnvelope(await rawRequest(fixture.port, get(`${fits}a`, AUTH)), 'uri_too_long');
  });

  it.each([20_000, 60_000, 200_000])('a URL of %i bytes is too long', async (length) => {
    const bytes = get(`/v1/things?_=${'a'.repeat(length)}`, AUTH);
    expectEnvelope(await rawRequest(fixture.port, bytes), 'uri_too_long');
  });

  it.each([20_000, 60_000, 200_000])(
    'a URL of %i bytes is too long for HEAD, too, which has no body',
    async (length) => {
      const client = await RawClient.open(fixture.port);
      client.send(`HEAD /v1/things?x=${'a'.repeat(length)} HTTP/1.1\r\n${HOST}${AUTH}\r\n`);
      const response = (await client.response({ head: true }))!;
      expect(response.status).toBe(414);
      expect(Number(response.headers['content-length'])).toBeGreaterThan(0);
      client.socket.end();
      await client.untilClosed();
      expect(client.rest.length).toBe(0);
    },
  );

  it('a URL in pieces is reported as too long, not the headers', async () => {
    const client = await RawClient.open(fixture.port);
    client.send('HEA').send('D /v1/things?x=');
    for (let i = 0; i < 60; i++) {
      await new Promise<void>((resolve) => client.socket.write('a'.repeat(1000), () => resolve()));
    }
    expect((await client.response({ head: true }))!.status).toBe(414);
    await client.untilClosed();
    expect(client.rest.length).toBe(0);
  });

  it.each([20_000, 60_000, 200_000])('headers of %i bytes are too large', async (length) => {
    const bytes = get('/v1/things', `X-A: ${'a'.repeat(length)}\r\n`);
    expectEnvelope(await rawRequest(fixture.port, bytes), 'headers_too_large');
  });

  it.each([101, 2500])('%i header fields are too many', async (count) => {
    const fields = Array.from({ length: count - 1 }, (_, i) => `X-${i}: a\r\n`).join('');
    expectEnvelope(await rawRequest(fixture.port, get('/version', fields)), 'headers_too_large');
  });

  it('100 header fields are accepted', async () => {
    const fields = Array.from({ length: 99 }, (_, i) => `X-${i}: a\r\n`).join('');
    expectData(await rawRequest(fixture.port, get('/version', fields)));
  });

  it('a path parameter over its limit is invalid, however long it is', async () => {
    const path = `/v1/things/${'a'.repeat(500)}`;
    const response = await rawRequest(fixture.port, get(path, AUTH));
    const error = expectEnvelope(response, 'invalid_request');
    expect(error.message).toBe('slug must be at most 200 characters long.');
  });
});

describe('Expect', () => {
  const post = `POST /v1/search HTTP/1.1\r\n${HOST}${AUTH}${JSON_BODY}Content-Length: 11\r\n`;

  it('100-continue gets 100 before the body is read', async () => {
    const client = await RawClient.open(fixture.port);
    client.send(`${post}Expect: 100-continue\r\n\r\n`);
    expect((await client.response())!.status).toBe(100);
    client.send('{"page": 3}');
    expect(expectData((await client.response())!)).toMatchObject({ page: 3 });
    client.send(get('/version'));
    expectData((await client.response())!);
    client.close();
  });

  it('100-continue with the body sent at once does not disturb the next response', async () => {
    const client = await RawClient.open(fixture.port);
    client.send(`${post}Expect: 100-continue\r\n\r\n{"page": 3}${get('/version')}`);
    expect((await client.response())!.status).toBe(100);
    expectData((await client.response())!);
    expectData((await client.response())!);
    client.close();
  });

  it('100-continue without a token is refused before the body, and the connection ends', async () => {
    const client = await RawClient.open(fixture.port);
    client.send(
      `POST /v1/search HTTP/1.1\r\n${HOST}${JSON_BODY}Content-Length: 11\r\nExpect: 100-continue\r\n\r\n`,
    );
    const response = (await client.response())!;
    expectEnvelope(response, 'invalid_token');
    expect(response.headers.connection).toBe('close');
    await client.untilClosed();
  });

  it.each(['foo', 'foo, 100-continue', '100-continue; a=b', ''])(
    '%j fails',
    async (expectation) => {
      const response = await rawRequest(
        fixture.port,
        `${post}Expect: ${expectation}\r\n\r\n{"page": 3}`,
      );
      expectEnvelope(response, 'expectation_failed');
    },
  );

  it('is ignored in HTTP/1.0', async () => {
    expectData(
      await rawRequest(fixture.port, `GET /version HTTP/1.0\r\n${HOST}Expect: foo\r\n\r\n`),
    );
  });
});

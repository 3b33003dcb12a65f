import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { type ApiResponse, route } from '../../src/engines/http/route/route.ts';
import { authenticate, type Fixture, startFixture, TOKEN } from '../harness/fixture-server.ts';
import { until } from '../harness/until.ts';
import { expectData, expectEnvelope } from './expect-envelope.ts';
import { RawClient, rawRequest } from './raw-client.ts';

const HOST = 'Host: localhost\r\n';
const AUTH = `Authorization: Bearer ${TOKEN}\r\n`;
const GET_VERSION = `GET /version HTTP/1.1\r\n${HOST}\r\n`;
const GET_SLOW = `GET /v1/slow HTTP/1.1\r\n${HOST}\r\n`;
const POST_HEAD = `POST /v1/search HTTP/1.1\r\n${HOST}${AUTH}Content-Type: application/json\r\nContent-Length: 10\r\n\r\n`;

let fixture: Fixture;
afterEach(() => fixture.app.close());

/** The value of a metric, or 0 if it does not exist yet. */
function metric(name: string): number {
  const line = fixture.metrics
    .render()
    .split('\n')
    .find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

describe('slow clients', () => {
  // Long enough that a request which is sent at once arrives in time on a busy machine.
  const timeouts = { headersMs: 1_000, requestMs: 2_000, checkMs: 20 };

  it('are timed out and disconnected if they send their headers slowly', async () => {
    fixture = await startFixture({ timeouts });
    const client = await RawClient.open(fixture.port);
    client.send('GET /version HTTP/1.1\r\nHost: lo');
    const response = (await client.response())!;
    expectEnvelope(response, 'request_timeout');
    expect(response.headers.connection).toBe('close');
    await client.untilClosed();
  });

  it('are timed out and disconnected if they send their headers slowly on a used connection', async () => {
    fixture = await startFixture({ timeouts });
    const client = await RawClient.open(fixture.port);
    expectData((await client.send(GET_VERSION).response())!);
    client.send('GET /version HTT');
    expectEnvelope((await client.response())!, 'request_timeout');
    await client.untilClosed();
  });

  it('get the response of their own request and are disconnected if they send their body slowly', async () => {
    fixture = await startFixture({ timeouts });
    const client = await RawClient.open(fixture.port);
    client.send(`${POST_HEAD.replace('\r\n\r\n', '\r\nX-Request-Id: slow-body\r\n\r\n')}{"page`);
    const response = (await client.response())!;
    expect(expectEnvelope(response, 'request_timeout').requestId).toBe('slow-body');
    expect(response.headers.connection).toBe('close');
    expect(response.headers['ratelimit-limit']).toBeDefined();
    await client.untilClosed();
  });

  it('get that response also if a part of the body comes before the token is verified', async () => {
    fixture = await startFixture({
      timeouts: { ...timeouts, stalledMs: 100 },
      // Waits for the file system, as the first verification of a token waits for another thread.
      authenticate: async (authorization) => {
        await stat('.');
        return authenticate(authorization);
      },
    });
    const client = await RawClient.open(fixture.port);
    client.send(`${POST_HEAD}{"page`);
    expectEnvelope((await client.response())!, 'request_timeout');
    await client.untilClosed();
  });

  it('whose body is not needed get their response at once and are disconnected in time', async () => {
    fixture = await startFixture({ timeouts });
    const client = await RawClient.open(fixture.port);
    client.send(`POST /nowhere HTTP/1.1\r\n${HOST}Content-Length: 1000\r\n\r\nab`);
    expectEnvelope((await client.response())!, 'not_found');
    await client.untilClosed();
    expect(client.rest.length).toBe(0);
  });

  it('do not delay others', async () => {
    fixture = await startFixture();
    const slow = await Promise.all(
      Array.from({ length: 200 }, async () =>
        (await RawClient.open(fixture.port)).send('GET / HTTP/1.1\r\nX-'),
      ),
    );
    expectData(await rawRequest(fixture.port, GET_VERSION));
    for (const client of slow) {
      client.close();
    }
  });

  it('are disconnected if they stop reading', async () => {
    fixture = await startFixture({ timeouts: { idleMs: 50 } });
    const client = await RawClient.open(fixture.port);
    client.send(GET_SLOW);
    await client.untilClosed();
    fixture.release();
  });

  it('are disconnected without a response if they are idle', async () => {
    fixture = await startFixture({ timeouts: { keepAliveMs: 50 } });
    const client = await RawClient.open(fixture.port);
    expectData((await client.send(GET_VERSION).response())!);
    await client.untilClosed();
    expect(client.rest.length).toBe(0);
  });
});

describe('clients that disconnect', () => {
  it('in the middle of a body cause no error', async () => {
    fixture = await startFixture();
    const client = await RawClient.open(fixture.port);
    client.send(`${POST_HEAD}{"p`);
    await until(() => metric('stave_http_in_flight') === 1);
    client.socket.resetAndDestroy();
    await until(() => metric('stave_http_in_flight') === 0);
    expect(fixture.lines.map(({ level, fields }) => [level, fields.aborted])).toEqual([
      ['info', true],
    ]);
  });

  it('after half a body get an error that says so', async () => {
    fixture = await startFixture();
    const client = await RawClient.open(fixture.port);
    client.send(`${POST_HEAD}{"p`);
    client.socket.end();
    expectEnvelope((await client.response())!, 'invalid_request');
  });

  it('before the response cause no error', async () => {
    fixture = await startFixture();
    const client = await RawClient.open(fixture.port);
    client.send(GET_SLOW);
    await until(() => fixture.waiting() === 1);
    client.close();
    await until(() => metric('stave_http_in_flight') === 0);
    fixture.release();
    expectData(await rawRequest(fixture.port, GET_VERSION));
    expect(fixture.lines.every(({ level }) => level === 'info')).toBe(true);
  });

  it('while a file is opened leave it closed', async () => {
    let isAsked = false;
    let respond: (response: ApiResponse) => void = () => {};
    const lateFile = route({
      operationId: 'readLate',
      method: 'GET',
      path: '/media/late',
      tag: 'Fixture',
      summary: 'Fixture',
      description: 'Fixture',
      errors: [],
      access: 'public',
      data: undefined,
      handle: () => {
        isAsked = true;
        return new Promise((resolve) => {
          respond = resolve;
        });
      },
    });
    fixture = await startFixture({ routes: [lateFile] });
    const client = await RawClient.open(fixture.port);
    client.send(`GET /media/late HTTP/1.1\r\n${HOST}\r\n`);
    await until(() => isAsked);
    client.close();
    await until(() => metric('stave_http_in_flight') === 0);
    const body = Readable.from([Buffer.from('abc')]);
    respond({ body, contentType: 'audio/mpeg' });
    await until(() => body.destroyed);
    expect(fixture.lines.map(({ level }) => level)).toEqual(['info']);
  });

  it('with open pipelined requests leave none of them in flight', async () => {
    fixture = await startFixture();
    const client = await RawClient.open(fixture.port);
    client.send(GET_SLOW.repeat(5));
    await until(() => fixture.waiting() === 1);
    client.socket.resetAndDestroy();
    await until(() => metric('stave_http_in_flight') === 0);
    fixture.release();
    expectData(await rawRequest(fixture.port, GET_VERSION));
    expect(fixture.waiting()).toBe(0);
    expect(fixture.lines.filter(({ fields }) => fields.path === '/v1/slow').length).toBe(1);
  });
});

describe('pipelined requests', () => {
  it('start one at a time, and wait as bytes until then', async () => {
    fixture = await startFixture();
    const client = await RawClient.open(fixture.port);
    client.send(GET_SLOW.repeat(3));
    for (let i = 0; i < 3; i++) {
      await until(() => fixture.waiting() > 0);
      expect(fixture.waiting()).toBe(1);
      expect(metric('stave_http_in_flight')).toBe(1);
      fixture.release();
      expectData((await client.response())!);
    }
    client.close();
  });

  it('are not processed after a request that ends its connection', async () => {
    fixture = await startFixture();
    const client = await RawClient.open(fixture.port);
    const badFraming = `POST /v1/search HTTP/1.1\r\n${HOST}Transfer-Encoding:\r\nContent-Length: 2\r\n\r\n{}`;
    client.send(`${badFraming}GET /v1/things HTTP/1.1\r\n${HOST}${AUTH}\r\n`);
    expectEnvelope((await client.response())!, 'invalid_request');
    await client.untilClosed();
    await until(() => metric('stave_http_in_flight') === 0);
    expect(fixture.taken()).toBe(0);
  });
});

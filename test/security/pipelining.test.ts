import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Fixture, startFixture, TOKEN } from '../harness/fixture-server.ts';
import { until } from '../harness/until.ts';
import { expectData, expectEnvelope } from './expect-envelope.ts';
import { RawClient, rawRequest } from './raw-client.ts';

const HOST = 'Host: localhost\r\n';
const AUTH = `Authorization: Bearer ${TOKEN}\r\n`;
const GET_SLOW = `GET /v1/slow HTTP/1.1\r\n${HOST}\r\n`;

const numbered = (id: string) => `GET /version HTTP/1.1\r\n${HOST}X-Request-Id: ${id}\r\n\r\n`;
const posted = (id: string, framing: string) =>
  `POST /v1/search HTTP/1.1\r\n${HOST}${AUTH}X-Request-Id: ${id}\r\nContent-Type: application/json\r\n${framing}`;

let fixture: Fixture;
afterEach(() => fixture.app.close());

/** The sockets of the server, as it accepts them. */
function accepted(): Socket[] {
  const sockets: Socket[] = [];
  fixture.app.server.on('connection', (socket: Socket) => sockets.push(socket));
  return sockets;
}

describe('a client that pipelines', () => {
  it.each([
    ['without a token', ''],
    ['with a token', AUTH],
  ])('gets 2,000 responses in order, %s', async (_who, auth) => {
    fixture = await startFixture();
    const client = await RawClient.open(fixture.port);
    const ids = Array.from({ length: 2000 }, (_, i) => `r${i}`);
    const requests = ids.map((id) => {
      switch (Number(id.slice(1)) % 4) {
        case 0:
          return posted(id, 'Content-Length: 11\r\n\r\n{"page": 3}');
        case 1:
          return posted(
            id,
            'Transfer-Encoding: chunked\r\n\r\n3\r\n{"p\r\n8\r\nage": 3}\r\n0\r\n\r\n',
          );
        case 2:
          // The route does not read this body.
          return numbered(id).replace('\r\n\r\n', '\r\nContent-Length: 8\r\n\r\nGET / HT');
        default:
          return numbered(id).replace('\r\n\r\n', `\r\n${auth}\r\n`);
      }
    });
    client.send(requests.join(''));
    for (const id of ids) {
      const response = (await client.response())!;
      expectData(response);
      expect(response.headers['x-request-id']).toBe(id);
    }
    client.close();
  });

  it('gets all responses after it half-closes the connection', async () => {
    fixture = await startFixture();
    const client = await RawClient.open(fixture.port);
    client.socket.end(numbered('a').repeat(300));
    for (let i = 0; i < 300; i++) {
      expectData((await client.response())!);
    }
    await client.untilClosed();
  });

  it('and does not read its response is not read further', async () => {
    fixture = await startFixture();
    const sockets = accepted();
    const client = await RawClient.open(fixture.port);
    client.send(GET_SLOW);
    await until(() => fixture.waiting() === 1);
    const behind = numbered('b').repeat(200_000);
    client.send(behind);
    // When the sender has to wait, the buffers of the kernel are full.
    const [socket] = sockets;
    let readBytes = -1;
    await until(() => {
      const isStill = socket!.bytesRead === readBytes;
      readBytes = socket!.bytesRead;
      return isStill && readBytes > 50_000;
    });
    expect(readBytes).toBeLessThan(256 * 1024);
    expect(fixture.waiting()).toBe(1);
    expect(fixture.lines.length).toBe(0);
    fixture.release();
    expectData((await client.response())!);
    expectData((await client.response())!);
    client.close();
  });

  it('and does not read its response for too long is disconnected', async () => {
    fixture = await startFixture({ timeouts: { stalledMs: 50 } });
    const client = await RawClient.open(fixture.port);
    client.send(GET_SLOW.repeat(2));
    await client.untilClosed();
    const alone = await RawClient.open(fixture.port);
    alone.send(GET_SLOW);
    await until(() => fixture.waiting() === 2);
    fixture.release();
    expectData((await alone.response())!);
    alone.close();
  });

  it('is disconnected if all connections together hold too many bytes, and others are not', async () => {
    fixture = await startFixture();
    const behind = GET_SLOW + numbered('c').repeat(1200);
    const clients: RawClient[] = [];
    let closed = 0;
    // 700 times 60 KB are 42 MB; the limit is 32 MiB.
    for (let i = 0; i < 700; i++) {
      const client = await RawClient.open(fixture.port);
      client.socket.once('close', () => closed++);
      clients.push(client.send(behind));
    }
    await until(() => fixture.waiting() > 600);
    fixture.release();
    await until(() => closed > 0);
    expectData(await rawRequest(fixture.port, numbered('d')));
    for (const client of clients) {
      client.close();
    }
  });
});

describe('bodies', () => {
  const head = (framing: string) =>
    `POST /v1/form HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${framing}\r\n`;
  const chunked = head('Transfer-Encoding: chunked\r\n');

  it('in chunks of one byte are refused before their end', async () => {
    fixture = await startFixture();
    const client = await RawClient.open(fixture.port);
    client.send(chunked + '1\r\nx\r\n'.repeat(2000));
    const response = (await client.response())!;
    expectEnvelope(response, 'payload_too_large');
    expect(response.headers.connection).toBe('close');
    await client.untilClosed();
  });

  it('in chunks of one byte that no handler reads end their connection', async () => {
    fixture = await startFixture();
    const client = await RawClient.open(fixture.port);
    client.send(`${chunked.replace('/v1/form', '/nowhere')}${'1\r\nx\r\n'.repeat(100_000)}`);
    expectEnvelope((await client.response())!, 'not_found');
    await client.untilClosed();
  });

  it('in a few small chunks are read', async () => {
    fixture = await startFixture();
    const body = JSON.stringify({ name: 'x'.repeat(300) });
    const chunks = [...body].map((byte) => `1\r\n${byte}\r\n`).join('');
    expectData(await rawRequest(fixture.port, `${chunked}${chunks}0\r\n\r\n`));
  });

  it('of anonymous callers share a budget; short ones and those of clients do not count', async () => {
    fixture = await startFixture();
    const clients: RawClient[] = [];
    const responses: Promise<unknown>[] = [];
    let refused = 0;
    for (let i = 0; i < 320; i++) {
      const client = await RawClient.open(fixture.port);
      clients.push(client);
      // Everything except the last byte.
      client.send(`${head('Content-Length: 65536\r\n')}{"name":"${'x'.repeat(65_000)}`);
      client.send('x'.repeat(526));
      responses.push(
        client.response().then((response) => {
          if (response?.status === 503) {
            expectEnvelope(response, 'unavailable');
            expect(response.headers['retry-after']).toBeDefined();
            refused++;
          }
        }),
      );
    }
    // 16 MiB are enough for 273 of them.
    await until(() => refused >= 40);
    expectData(await rawRequest(fixture.port, `${head('Content-Length: 12\r\n')}{"name":"x"}`));
    const long = JSON.stringify({ search: 'x', page: 1 }).padEnd(60_000);
    const post = posted('mine', `Content-Length: ${long.length}\r\n\r\n`);
    const client = await RawClient.open(fixture.port);
    client.send(post + long.slice(0, 30_000));
    await new Promise((resolve) => setImmediate(resolve));
    client.send(long.slice(30_000));
    expectData((await client.response())!);
    client.close();
    for (const one of clients) {
      one.close();
    }
    await Promise.all(responses);
    // The budget is free again.
    const again = await RawClient.open(fixture.port);
    const name = JSON.stringify({ name: 'x'.repeat(60_000) });
    again.send(head(`Content-Length: ${name.length}\r\n`) + name.slice(0, 40_000));
    await new Promise((resolve) => setImmediate(resolve));
    again.send(name.slice(40_000));
    expectData((await again.response())!);
    again.close();
  });
});

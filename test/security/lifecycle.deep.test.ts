import { afterEach, describe, expect, it } from 'vitest';
import { Readiness } from '../../src/engines/http/readiness.ts';
import { authenticate, type Fixture, startFixture, TOKEN } from '../harness/fixture-server.ts';
import { until } from '../harness/until.ts';
import { useProcessor } from '../harness/use-processor.ts';
import { expectData, expectEnvelope } from './expect-envelope.ts';
import { RawClient, rawRequest } from './raw-client.ts';

const HOST = 'Host: localhost\r\n';
const AUTH = `Authorization: Bearer ${TOKEN}\r\n`;
const GET_VERSION = `GET /version HTTP/1.1\r\n${HOST}\r\n`;
const GET_SLOW = `GET /v1/slow HTTP/1.1\r\n${HOST}\r\n`;

let fixture: Fixture;
afterEach(() => fixture.app.close());

describe('overload', () => {
  it('responds with 503 to what waits for too long, except for version and health check, and recovers', async () => {
    fixture = await startFixture({
      overloadMs: 10,
      authenticate: (authorization) => {
        useProcessor(5);
        return authenticate(authorization);
      },
    });
    const things = `GET /v1/things HTTP/1.1\r\n${HOST}${AUTH}\r\n`;
    const health = `GET /health-check HTTP/1.1\r\n${HOST}\r\n`;
    const clients: RawClient[] = [];
    for (let i = 0; i < 30; i++) {
      const client = await RawClient.open(fixture.port);
      // From then on, the requests of this connection need not wait for their turns.
      expectData((await client.send(things).response())!);
      clients.push(client);
    }
    const atOnce = clients.map((client, i) =>
      client.send([things, GET_VERSION, health][i % 3]!).response(),
    );
    const responses = (await Promise.all(atOnce)).map((response) => response!);
    const refused = responses.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    for (const [i, response] of responses.entries()) {
      if (i % 3 === 0 && response.status === 503) expectEnvelope(response, 'unavailable');
      else expectData(response);
    }
    for (const { headers } of refused) expect(headers['retry-after']).toBe('1');
    for (const client of clients) {
      expectData((await client.send(things).response())!);
      client.close();
    }
  });
});

describe('a start and a drain', () => {
  it('respond with 503 until the node serves, except for the version', async () => {
    const readiness = new Readiness();
    fixture = await startFixture({ readiness });
    const things = `GET /v1/things HTTP/1.1\r\n${HOST}${AUTH}\r\n`;
    const others = ['GET /', 'GET /docs', 'GET /health-check', 'GET /unknown', 'DELETE /v1/things'];
    const rest = ` HTTP/1.1\r\n${HOST}\r\n`;
    for (const request of [things, ...others.map((line) => line + rest)]) {
      const refused = await rawRequest(fixture.port, request);
      expectEnvelope(refused, 'unavailable');
      expect(refused.headers['retry-after']).toBe('1');
    }
    expectData(await rawRequest(fixture.port, GET_VERSION));
    readiness.serve();
    expectData(await rawRequest(fixture.port, things));
  });

  it('complete the open requests, refuse new ones, and then close the stores', async () => {
    const order: string[] = [];
    fixture = await startFixture({
      prepare: (app) => {
        const closed = (what: string) => async () => {
          const answered = fixture.lines.filter(({ fields }) => fields.path === '/v1/slow');
          order.push(`${answered.length} answered, ${what} closed`);
        };
        app.addHook('onClose', closed('store'));
        app.addHook('onClose', closed('follower'));
      },
    });
    const { app, port, readiness } = fixture;
    const open = await Promise.all(
      Array.from({ length: 20 }, async () => (await RawClient.open(port)).send(GET_SLOW)),
    );
    const idle = await RawClient.open(port);
    expectData((await idle.send(GET_VERSION).response())!);
    await until(() => fixture.waiting() === open.length);

    const closing = app.close();
    await until(() => readiness.draining());
    const things = `GET /v1/things HTTP/1.1\r\n${HOST}${AUTH}\r\n`;
    const refused = (await idle.send(things).response())!;
    expectEnvelope(refused, 'unavailable');
    expect(refused.headers.connection).toBe('close');
    await idle.untilClosed();
    await expect(RawClient.open(port)).rejects.toThrow(/ECONNREFUSED/);

    fixture.release();
    for (const client of open) {
      const response = (await client.response())!;
      expect(expectData(response)).toEqual({ waited: true });
      expect(response.headers.connection).toBe('close');
      await client.untilClosed();
    }
    await closing;
    expect(order).toEqual(['20 answered, follower closed', '20 answered, store closed']);
  });

  it('respond to health check and version during the drain', async () => {
    fixture = await startFixture();
    const first = await RawClient.open(fixture.port);
    const second = await RawClient.open(fixture.port);
    const slow = (await RawClient.open(fixture.port)).send(GET_SLOW);
    expectData((await first.send(GET_VERSION).response())!);
    expectData((await second.send(GET_VERSION).response())!);
    await until(() => fixture.waiting() === 1);
    const closing = fixture.app.close();
    await until(() => fixture.readiness.draining());
    expectData((await first.send(GET_VERSION).response())!);
    const health = `GET /health-check HTTP/1.1\r\n${HOST}\r\n`;
    expectEnvelope((await second.send(health).response())!, 'unavailable');
    fixture.release();
    expectData((await slow.response())!);
    await closing;
  });

  it('end idle connections, and requests that do not complete in time', async () => {
    fixture = await startFixture({ timeouts: { drainMs: 50 } });
    const idle = await RawClient.open(fixture.port);
    expectData((await idle.send(GET_VERSION).response())!);
    const slow = (await RawClient.open(fixture.port)).send(GET_SLOW);
    await until(() => fixture.waiting() === 1);
    await fixture.app.close();
    await idle.untilClosed();
    await slow.untilClosed();
    expect(slow.rest.length).toBe(0);
  });

  it('respond with 503 to a request whose body is incomplete at the end of the drain', async () => {
    fixture = await startFixture({ timeouts: { drainMs: 50 } });
    const half = await RawClient.open(fixture.port);
    half.send(
      `POST /v1/search HTTP/1.1\r\n${HOST}${AUTH}Content-Type: application/json\r\nContent-Length: 20\r\n\r\n{"query"`,
    );
    // The server reads in order, so it has the half body of this connection before the head of the next request.
    const other = await RawClient.open(fixture.port);
    expectData((await other.send(GET_VERSION).response())!);
    const closing = fixture.app.close();
    const response = (await half.response())!;
    expectEnvelope(response, 'unavailable');
    expect(response.headers['retry-after']).toBe('1');
    await closing;
    await half.untilClosed();
  });
});

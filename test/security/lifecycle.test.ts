import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { Readiness } from '../../src/api/readiness.ts';
import { type Answer, route } from '../../src/api/route.ts';
import { expectData, expectEnvelope } from './expect-envelope.ts';
import { type Fixture, startFixture, TOKEN } from './fixture-server.ts';
import { RawClient, rawRequest } from './raw-client.ts';

const HOST = 'Host: localhost\r\n';
const AUTH = `Authorization: Bearer ${TOKEN}\r\n`;
const GET_VERSION = `GET /version HTTP/1.1\r\n${HOST}\r\n`;
const GET_SLOW = `GET /v1/slow HTTP/1.1\r\n${HOST}\r\n`;
const POST_HEAD = `POST /v1/search HTTP/1.1\r\n${HOST}${AUTH}Content-Type: application/json\r\nContent-Length: 10\r\n\r\n`;

let fixture: Fixture;
afterEach(() => fixture.app.close());

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** The value of one metric; 0 where there is none yet. */
function metric(name: string): number {
  const line = fixture.metrics
    .render()
    .split('\n')
    .find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

describe('slow clients', () => {
  const timeouts = { headersMs: 100, requestMs: 200, checkMs: 20 };

  it('that dribble their headers are timed out and closed', async () => {
    fixture = await startFixture({ timeouts });
    const client = await RawClient.open(fixture.port);
    client.send('GET /version HTTP/1.1\r\nHost: lo');
    const response = (await client.response())!;
    expectEnvelope(response, 'request_timeout');
    expect(response.headers.connection).toBe('close');
    await client.untilClosed();
  });

  it('that dribble their headers on a used connection are timed out and closed', async () => {
    fixture = await startFixture({ timeouts });
    const client = await RawClient.open(fixture.port);
    expectData((await client.send(GET_VERSION).response())!);
    client.send('GET /version HTT');
    expectEnvelope((await client.response())!, 'request_timeout');
    await client.untilClosed();
  });

  it('that dribble their body get the answer of their own request, and are closed', async () => {
    fixture = await startFixture({ timeouts });
    const client = await RawClient.open(fixture.port);
    client.send(`${POST_HEAD.replace('\r\n\r\n', '\r\nX-Request-Id: slow-body\r\n\r\n')}{"page`);
    const response = (await client.response())!;
    expect(expectEnvelope(response, 'request_timeout').requestId).toBe('slow-body');
    expect(response.headers.connection).toBe('close');
    expect(response.headers['ratelimit-limit']).toBeDefined();
    await client.untilClosed();
  });

  it('whose body is not wanted are answered at once and closed in time', async () => {
    fixture = await startFixture({ timeouts });
    const client = await RawClient.open(fixture.port);
    client.send(`POST /nowhere HTTP/1.1\r\n${HOST}Content-Length: 1000\r\n\r\nab`);
    expectEnvelope((await client.response())!, 'not_found');
    await client.untilClosed();
    expect(client.rest.length).toBe(0);
  });

  it('do not hinder others', async () => {
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

  it('that stop reading are let go', async () => {
    fixture = await startFixture({ timeouts: { idleMs: 50 } });
    const client = await RawClient.open(fixture.port);
    client.send(GET_SLOW);
    await client.untilClosed();
    fixture.release();
  });

  it('an idle connection is closed without a word', async () => {
    fixture = await startFixture({ timeouts: { keepAliveMs: 50 } });
    const client = await RawClient.open(fixture.port);
    expectData((await client.send(GET_VERSION).response())!);
    await client.untilClosed();
    expect(client.rest.length).toBe(0);
  });
});

describe('clients that leave', () => {
  it('in the middle of a body are no error', async () => {
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

  it('having sent half a body and no more are told so', async () => {
    fixture = await startFixture();
    const client = await RawClient.open(fixture.port);
    client.send(`${POST_HEAD}{"p`);
    client.socket.end();
    expectEnvelope((await client.response())!, 'invalid_request');
  });

  it('while the answer is made are no error', async () => {
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
    let answer: (answer: Answer) => void = () => {};
    const lateFile = route({
      operationId: 'readLate',
      method: 'GET',
      path: '/media/late',
      version: 'v1',
      tag: 'Fixture',
      summary: 'Fixture',
      description: 'Fixture',
      errors: [],
      access: 'public',
      data: undefined,
      handle: () => {
        isAsked = true;
        return new Promise((resolve) => {
          answer = resolve;
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
    answer({ body, contentType: 'audio/mpeg' });
    await until(() => body.destroyed);
    expect(fixture.lines.map(({ level }) => level)).toEqual(['info']);
  });

  it('with pipelined requests open leave none of them in flight', async () => {
    fixture = await startFixture();
    const client = await RawClient.open(fixture.port);
    client.send(GET_SLOW.repeat(5));
    await until(() => metric('stave_http_in_flight') === 5);
    client.close();
    await until(() => metric('stave_http_in_flight') === 0);
    fixture.release();
    expectData(await rawRequest(fixture.port, GET_VERSION));
    expect(fixture.waiting()).toBe(0);
  });
});

describe('pipelined requests', () => {
  it('are worked at one at a time', async () => {
    fixture = await startFixture();
    const client = await RawClient.open(fixture.port);
    client.send(GET_SLOW.repeat(3));
    await until(() => metric('stave_http_in_flight') === 3);
    for (let i = 0; i < 3; i++) {
      await until(() => fixture.waiting() > 0);
      expect(fixture.waiting()).toBe(1);
      fixture.release();
      expectData((await client.response())!);
    }
    client.close();
  });

  it('are not worked at behind one that ends its connection', async () => {
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

describe('overload', () => {
  it('answers 503 while the event loop is late, but for version and health, and recovers', async () => {
    fixture = await startFixture({ overloadMs: 10 });
    const things = `GET /v1/things HTTP/1.1\r\n${HOST}${AUTH}\r\n`;
    const stop = keepLoopLate(40);
    let refused = await rawRequest(fixture.port, things);
    while (refused.status === 200) {
      refused = await rawRequest(fixture.port, things);
    }
    expectData(await rawRequest(fixture.port, GET_VERSION));
    expectData(await rawRequest(fixture.port, `GET /health-check HTTP/1.1\r\n${HOST}\r\n`));
    stop();
    expectEnvelope(refused, 'unavailable');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    let recovered = await rawRequest(fixture.port, things);
    while (recovered.status === 503) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      recovered = await rawRequest(fixture.port, things);
    }
    expectData(recovered);
  });
});

/** Blocks every turn of the event loop for so long, until stopped. */
function keepLoopLate(ms: number): () => void {
  const timer = setInterval(() => {
    const end = performance.now() + ms;
    while (performance.now() < end) {}
  }, 1);
  return () => clearInterval(timer);
}

describe('starting and draining', () => {
  it('answers 503 until the node serves, but tells the version', async () => {
    const readiness = new Readiness();
    fixture = await startFixture({ readiness });
    const things = `GET /v1/things HTTP/1.1\r\n${HOST}${AUTH}\r\n`;
    const refused = await rawRequest(fixture.port, things);
    expectEnvelope(refused, 'unavailable');
    expect(refused.headers['retry-after']).toBe('1');
    expectData(await rawRequest(fixture.port, GET_VERSION));
    readiness.serve();
    expectData(await rawRequest(fixture.port, things));
  });

  it('lets what is open finish, refuses what comes, and then closes the stores', async () => {
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

  it('answers health check and version while it drains', async () => {
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

  it('ends idle connections and what does not finish in time', async () => {
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
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import Type from 'typebox';
import { afterEach, expect, it } from 'vitest';
import { type Fixture, startFixture, TOKEN } from '../../../test/harness/fixture-server.ts';
import { HttpCaller } from '../../../test/harness/http.ts';
import { until } from '../../../test/harness/until.ts';
import { ResponseCache } from './response/response-cache.ts';
import { route } from './route/route.ts';

type Connections = (error: Error | null, count: number) => void;

/** More than the buffers of a connection can hold. */
const HUGE = 64 * 1024 * 1024;

let fixture: Fixture;
let http: HttpCaller;
afterEach(async () => {
  http.close();
  await fixture.app.close();
});

/** Serves an envelope of this size, and counts its releases. */
async function serve(sizeBytes: number) {
  const envelope = Buffer.alloc(sizeBytes, 'x');
  const counts = { handled: 0, released: 0 };
  const release = () => {
    counts.released++;
  };
  const things = route({
    ...{ tag: 'T', summary: 'S', description: 'D', errors: [] },
    operationId: 'listThings',
    method: 'GET',
    path: '/v1/things',
    access: { scope: 'tracks' },
    data: Type.Object({}),
    cacheable: true,
    handle: () => {
      counts.handled++;
      return { envelope, release, share: () => () => ({ envelope, issue: {}, release }) };
    },
  });
  fixture = await startFixture({
    routes: [things],
    responseCache: new ResponseCache({ catalogVersion: () => 1, maxBytes: 2 * HUGE }),
  });
  http = new HttpCaller(fixture.base);
  return { envelope, counts };
}

const get = async (headers = {}) =>
  (await http.send('GET', '/v1/things', { Authorization: `Bearer ${TOKEN}`, ...headers })).body;

it('releases an envelope once for each response that was sent, from the handler and from the cache', async () => {
  const { envelope, counts } = await serve(20_000);
  for (let request = 1; request <= 4; request++) {
    expect((await get()).equals(envelope)).toBe(true);
    expect(counts.released).toBe(request);
  }
  expect(counts.handled).toBe(2);
});

it('releases an envelope that was compressed at once', async () => {
  const { envelope, counts } = await serve(20_000);
  for (let request = 1; request <= 3; request++) {
    expect((await get({ 'Accept-Encoding': 'gzip' })).length).toBeLessThan(envelope.length);
    expect(counts.released).toBe(request);
  }
});

it('releases an envelope that another thread compresses when the response is sent', async () => {
  const { counts } = await serve(100_000);
  for (let request = 1; request <= 3; request++) {
    await get({ 'Accept-Encoding': 'gzip' });
    await until(() => counts.released === request);
  }
});

it('releases an envelope that the connection could not take at once when it is sent', async () => {
  const { envelope, counts } = await serve(HUGE);
  for (let request = 1; request <= 3; request++) {
    expect((await get()).equals(envelope)).toBe(true);
    await until(() => counts.released === request);
  }
});

it('does not release an envelope whose connection closes before it is sent', async () => {
  const { counts } = await serve(HUGE);
  const socket = connect(fixture.port, '127.0.0.1');
  socket.write(`GET /v1/things HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
  await once(socket, 'data');
  socket.destroy();
  const connections = promisify((done: Connections) => fixture.app.server.getConnections(done));
  await until(async () => (await connections()) === 0);
  expect(counts.released).toBe(0);
});

import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../harness/fixture-server.ts';
import { until } from '../harness/until.ts';
import { expectData } from './expect-envelope.ts';
import { RawClient, rawRequest } from './raw-client.ts';

const GET_VERSION = 'GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n';

let fixture: Fixture;
afterEach(() => fixture.app.close());

/** Opens connections that the server has accepted. */
async function open(count: number): Promise<RawClient[]> {
  const clients: RawClient[] = [];
  for (let i = 0; i < count; i++) {
    const client = await RawClient.open(fixture.port);
    expectData((await client.send(GET_VERSION).response())!);
    clients.push(client);
  }
  return clients;
}

/** The status of a request from another loopback address. */
function statusFrom(localAddress: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ port: fixture.port, host: '127.0.0.1', localAddress });
    socket.on('error', () => {}).on('close', () => resolve(text.split('\r\n', 1)[0]!));
    socket.on('data', (bytes) => {
      text += bytes;
      socket.destroy();
    });
    socket.write(GET_VERSION);
  });
}

describe('connections', () => {
  it('of one address are limited, and count until they close', async () => {
    fixture = await startFixture({ maxConnections: { inAll: 100, ofAddress: 3 } });
    const clients = await open(3);
    const more = await RawClient.open(fixture.port);
    await more.untilClosed();
    expect(more.rest.length).toBe(0);
    expect(await statusFrom('127.0.0.2')).toBe('HTTP/1.1 200 OK');
    expectData((await clients[0]!.send(GET_VERSION).response())!);
    clients[0]!.close();
    await until(async () => {
      const next = await RawClient.open(fixture.port);
      const response = await next.send(GET_VERSION).response();
      next.close();
      return response?.status === 200;
    });
    for (const client of clients) client.close();
  });

  it('of trusted proxies are not limited by address', async () => {
    fixture = await startFixture({
      maxConnections: { inAll: 100, ofAddress: 3 },
      trustProxy: ['127.0.0.1', '10.0.0.0/8'],
    });
    const clients = await open(10);
    for (const client of clients) client.close();
  });

  it('are limited in total, even those of trusted proxies', async () => {
    fixture = await startFixture({
      maxConnections: { inAll: 5, ofAddress: 100 },
      trustProxy: ['loopback'],
    });
    const clients = await open(5);
    const more = await RawClient.open(fixture.port);
    await more.untilClosed();
    for (const client of clients) client.close();
    await until(async () => (await statusFrom('127.0.0.2')) === 'HTTP/1.1 200 OK');
    await until(async () => {
      try {
        return (await rawRequest(fixture.port, GET_VERSION)).status === 200;
      } catch {
        return false;
      }
    });
  });
});

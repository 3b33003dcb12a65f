import { afterEach, describe, expect, it } from 'vitest';
import { StaveError } from '../../src/common/errors.ts';
import { type Fixture, startFixture, TOKEN } from '../harness/fixture-server.ts';
import { expectData } from './expect-envelope.ts';
import { RawClient } from './raw-client.ts';

const HOST = 'Host: localhost\r\n';
const GET_VERSION = `GET /version HTTP/1.1\r\n${HOST}\r\n`;
const GET_THINGS = `GET /v1/things HTTP/1.1\r\n${HOST}Authorization: Bearer ${TOKEN}\r\n\r\n`;
const HOSTILE = 50;

let fixture: Fixture;
afterEach(() => fixture.app.close());

/** Connections that each send a burst of 1,500 requests whenever the previous burst has its responses. */
async function bursts(count: number): Promise<RawClient[]> {
  const burst = GET_VERSION.repeat(1500);
  const clients: RawClient[] = [];
  for (let i = 0; i < count; i++) {
    const client = await RawClient.open(fixture.port);
    // The responses are read and discarded.
    client.socket.removeAllListeners('data').resume();
    client.socket.on('drain', () => client.send(burst));
    clients.push(client.send(burst));
  }
  return clients;
}

/** For each request, the number of responses to others between its sending and its response. */
async function overtaken(client: RawClient, requests: number): Promise<number[]> {
  const counts: number[] = [];
  for (let i = 0; i < requests; i++) {
    const before = fixture.lines.length;
    expectData((await client.send(GET_THINGS).response())!);
    counts.push(fixture.lines.length - before);
  }
  return counts.sort((a, b) => a - b);
}

describe('a well-behaved client beside fifty that send bursts', () => {
  // Counted in responses, not in time, because other work on the machine changes the time. One of the fifty alone has
  // 1,900 requests in what Node reads at once.
  it('waits for a few of their requests, not for whole bursts', async () => {
    fixture = await startFixture();
    const hostile = await bursts(HOSTILE);
    const good = await RawClient.open(fixture.port);
    const counts = await overtaken(good, 100);
    expect(counts[50]).toBeLessThanOrEqual(200);
    expect(counts[99]).toBeLessThanOrEqual(500);
    for (const client of [...hostile, good]) client.close();
  });

  it('is served on a new connection, too, before it has sent its token', async () => {
    fixture = await startFixture();
    const hostile = await bursts(HOSTILE);
    const counts: number[] = [];
    for (let i = 0; i < 30; i++) {
      const good = await RawClient.open(fixture.port);
      counts.push(...(await overtaken(good, 1)));
      good.close();
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(500);
    for (const client of hostile) client.close();
  });
});

describe('more requests than the event loop can handle', () => {
  it('get 503 after they have waited for 200 ms, until at most 100 wait', async () => {
    fixture = await startFixture({
      // On a busy machine, the first connections wait for long until the last one is open.
      timeouts: { headersMs: 60_000, requestMs: 60_000 },
      // Refuse only requests that wait for their turn, whatever the delay of the event loop is.
      overloadMs: Number.MAX_SAFE_INTEGER,
      authenticate: () => {
        const end = performance.now() + 4;
        while (performance.now() < end) {}
        throw new StaveError('invalid_token', 'The token is not good.');
      },
    });
    const clients: RawClient[] = [];
    for (let i = 0; i < 300; i++) clients.push(await RawClient.open(fixture.port));
    const responses = await Promise.all(
      clients.map((client) => client.send(GET_THINGS).response()),
    );
    const statuses = responses.map((response) => response!.status);
    const served = statuses.filter((status) => status === 401).length;
    const refused = statuses.filter((status) => status === 503).length;
    expect(served + refused).toBe(300);
    expect(served).toBeGreaterThanOrEqual(100);
    expect(refused).toBeGreaterThan(0);
    const refusal = responses.find((response) => response!.status === 503)!;
    expect(refusal.body.toString()).toContain('This node has too much to do');
    expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(0);
    for (const client of clients) client.close();
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/app/config/config.ts';
import { type Service, startService } from '../../src/app/service.ts';
import { silentLog } from '../../src/common/log.ts';
import { freePort } from '../harness/free-port.ts';
import { HttpCaller } from '../harness/http.ts';
import { type RedisServer, redisInstalled, startRedis } from '../harness/redis-server.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

/** A node that counts its responses to GET /v1/me. */
interface Node {
  http: HttpCaller;
  metricsUrl: string;
}

describe.skipIf(!redisInstalled)('two nodes and one Redis', () => {
  let redis: RedisServer;
  let folder: string;
  let server: TestServer;
  let second: Service;
  let nodes: Node[];

  beforeEach(async () => {
    redis = await startRedis();
    folder = await mkdtemp(join(tmpdir(), 'stave-nodes-'));
    const ports = [await freePort(), await freePort()];
    const config: Partial<Config> = { dataFolder: folder, redisUrl: redis.url };
    const metrics = (i: number) => ({ host: '127.0.0.1', port: ports[i]! });
    server = await startTestServer({ config: { ...config, metrics: metrics(0) } });
    second = await startService({
      config: { ...server.config, metrics: metrics(1) },
      clock: server.clock,
      log: silentLog,
    });
    nodes = [server.address, second.address].map((address, i) => ({
      http: new HttpCaller(address),
      metricsUrl: `http://127.0.0.1:${ports[i]}/metrics`,
    }));
  });

  afterEach(async () => {
    for (const { http } of nodes) http.close();
    await second.close();
    await server.close();
    await redis.close();
    await rm(folder, { recursive: true });
  });

  const metrics = () =>
    Promise.all(nodes.map(async ({ metricsUrl }) => (await fetch(metricsUrl)).text()));

  async function shared(value: 0 | 1): Promise<void> {
    await server.until(async () =>
      (await metrics()).every((text) => text.includes(`\nstave_rate_limit_shared ${value}\n`)),
    );
  }

  /** The requests that the nodes counted alone. */
  async function countedAlone(): Promise<string> {
    const lines = (await metrics()).map((text) => /^stave_rate_limit_local_total .*$/m.exec(text));
    return lines.join();
  }

  /**
   * Returns how the requests of a new client end while Redis counts all of them. It is asked again if Redis did not reply
   * in time to a busy machine.
   */
  async function sharedStatuses(rateLimit: number, requests: number): Promise<number[]> {
    for (;;) {
      await shared(1);
      const token = await newToken(rateLimit);
      const before = await countedAlone();
      const all = await statuses(token, requests);
      if ((await countedAlone()) === before) return all;
    }
  }

  /** Returns a token of a new client that both nodes know, before any request is counted. */
  async function newToken(rateLimit: number): Promise<string> {
    const client = await server.createClient({ rateLimit });
    const body = JSON.stringify({
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: client.testSecret,
    });
    const headers = { 'Content-Type': 'application/json' };
    await server.until(async () => {
      const responses = nodes.map(({ http }) => http.send('POST', '/v1/auth/token', headers, body));
      return (await Promise.all(responses)).every(({ status }) => status === 200);
    });
    return client.token();
  }

  /** Returns the statuses of concurrent requests, sent alternately to both nodes. */
  async function statuses(token: string, requests: number): Promise<number[]> {
    const headers = { Authorization: `Bearer ${token}` };
    const statusOf = async (i: number): Promise<number> => {
      const { status } = await nodes[i % nodes.length]!.http.send('GET', '/v1/me', headers);
      // A busy machine refuses requests before they are counted.
      return status === 503 ? statusOf(i) : status;
    };
    return Promise.all(Array.from({ length: requests }, (_, i) => statusOf(i)));
  }

  const passed = (all: readonly number[]) => all.filter((status) => status === 200).length;

  it('let exactly 600 of 650 requests pass', async () => {
    const all = await sharedStatuses(600, 650);
    expect(passed(all)).toBe(600);
    expect(all.filter((status) => status === 429)).toHaveLength(50);
  });

  it('continue while Redis is killed and paused under load, and share counts again', async () => {
    const token = await newToken(1_000_000);
    let isLoaded = true;
    const seen = new Set<number>();
    let responses = 0;
    let slowestMs = 0;
    const load = Promise.all(
      Array.from({ length: 16 }, async (_, i) => {
        while (isLoaded) {
          const begunMs = performance.now();
          const headers = { Authorization: `Bearer ${token}` };
          const { status } = await nodes[i % 2]!.http.send('GET', '/v1/me', headers);
          slowestMs = Math.max(slowestMs, performance.now() - begunMs);
          seen.add(status);
          responses++;
        }
      }),
    );
    try {
      await shared(1);
      await redis.kill();
      await shared(0);
      const limited = await newToken(300);
      // Each node counts alone, so the limit holds on each.
      expect(passed(await statuses(limited, 700))).toBe(600);
      await redis.start();
      await shared(1);
      // Redis counts from zero: the nodes do not transfer their counts.
      expect(passed(await statuses(limited, 350))).toBe(300);

      redis.pause();
      await shared(0);
      await sleep(300);
      redis.resume();
      expect(passed(await sharedStatuses(600, 650))).toBe(600);
    } finally {
      isLoaded = false;
      await load;
    }
    expect(seen).toEqual(new Set([200]));
    expect(responses).toBeGreaterThan(100);
    // Much less than the wait for a Redis that never responds, even on a busy machine.
    expect(slowestMs).toBeLessThan(10_000);
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/common/clock.ts';
import { createClient } from '../../src/features/access/clients.ts';
import { start, temporaryFolder } from '../harness/cli.ts';
import { BY, deliveries, importAll } from '../harness/deliveries.ts';
import { freePort } from '../harness/free-port.ts';
import { openOn } from '../harness/postgres-store.ts';
import { isThere, PROXIES } from '../harness/proxies.ts';
import { createDatabase, POSTGRES_URL, type TestDatabase } from '../harness/services.ts';
import { until } from '../harness/until.ts';

const CALLERS = 6;

describe.skipIf(POSTGRES_URL === undefined)('two nodes behind a proxy of deploy/', () => {
  const folder = temporaryFolder();
  const nodes: (ChildProcess | undefined)[] = [];
  let ports: number[];
  let database: TestDatabase;
  let credentials: string;
  let token: string;

  async function startNode(i: number): Promise<void> {
    const node = start(folder.at(`node-${i}`), ['serve'], {
      env: { STAVE_DATABASE_URL: database.url, PORT: String(ports[i]), STAVE_LOG_LEVEL: 'error' },
    });
    nodes[i] = node;
    node.stdout!.resume();
    node.stderr!.resume();
    await until(async () => (await send(ports[i]!, 'GET', '/health-check')).status === 200);
  }

  async function endNode(i: number, signal: NodeJS.Signals): Promise<void> {
    const node = nodes[i]!;
    const gone = once(node, 'exit');
    node.kill(signal);
    await gone;
  }

  beforeAll(async () => {
    database = await createDatabase();
    ports = [await freePort(), await freePort()];
    const store = await openOn(database.url);
    await importAll(store, deliveries(0, 50));
    const { clientId, liveSecret } = await createClient(
      { store, clock: systemClock, by: BY },
      { name: 'Partner', scopes: ['tracks', 'search'], rateLimit: 1_000_000 },
    );
    await store.close();
    credentials = JSON.stringify({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: liveSecret,
    });
    await Promise.all([startNode(0), startNode(1)]);
    const reply = await send(ports[0]!, 'POST', '/v1/auth/token', { body: credentials });
    token = JSON.parse(reply.body).data.access_token;
  }, 120_000);

  afterAll(async () => {
    for (const node of nodes) node?.kill('SIGKILL');
    await database.drop();
    folder[Symbol.dispose]();
  });

  describe.each(PROXIES)('$program', (proxy) => {
    it.skipIf(!isThere(proxy))('lose no GET when a node stops', { timeout: 180_000 }, async () => {
      const port = await freePort();
      const path = folder.at(`${proxy.program}.conf`);
      writeFileSync(path, proxy.configuration(ports, port, folder.path));
      const running = spawn(proxy.program, proxy.words(path), { stdio: 'ignore' });
      try {
        await until(
          async () => (await send(port, 'GET', '/health-check')).status === 200,
          'health',
        );
        const load = startLoad(port, { token, credentials });
        for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
          const sent = load.seen.length;
          await until(() => load.seen.length > sent + 50);
          await endNode(0, signal);
          const alone = load.seen.length;
          await until(() => load.seen.length > alone + 50);
          await startNode(0);
        }
        await load.stop();
        const gets = load.seen.filter(({ method }) => method === 'GET');
        const posts = load.seen.filter(({ method }) => method === 'POST');
        expect(gets.filter(({ status }) => status !== 200)).toEqual([]);
        // Only requests that were open when their node was killed failed; none was sent twice.
        const failed = posts.filter(({ status }) => status !== 200);
        expect(failed.length).toBeLessThanOrEqual(20 * CALLERS);
        expect(failed.filter(({ status, wait }) => status === 503 && wait === undefined)).toEqual(
          [],
        );
        expect(failed.filter(({ status }) => status !== 503 && status !== 0)).toEqual([]);

        await endNode(0, 'SIGTERM');
        await endNode(1, 'SIGTERM');
        const reply = await send(port, 'GET', '/v1/tracks');
        expect(reply).toMatchObject({ status: 503, wait: '1' });
        expect(JSON.parse(reply.body).error).toMatchObject({ code: 503, type: 'unavailable' });
        await Promise.all([startNode(0), startNode(1)]);
      } finally {
        const gone = once(running, 'exit');
        running.kill();
        await gone;
      }
    });
  });
});

interface Reply {
  method: 'GET' | 'POST';
  /** 0 without a response. */
  status: number;
  body: string;
  /** The value of Retry-After. */
  wait: string | undefined;
}

/** Starts callers that send POST and GET alternately, on persistent connections, and pause as Retry-After says. */
function startLoad(port: number, { token, credentials }: { token: string; credentials: string }) {
  const seen: Reply[] = [];
  const agent = new Agent({ keepAlive: true });
  let isOn = true;
  const call = async () => {
    for (let i = 0; isOn; i++) {
      const path = `/v1/tracks?pageSize=5&page=${1 + (i % 8)}`;
      const reply =
        i % 3 === 0
          ? await send(port, 'POST', '/v1/auth/token', { body: credentials, agent })
          : await send(port, 'GET', path, { token, agent });
      seen.push(reply);
      if (reply.wait !== undefined) await sleep(1_000 * Number(reply.wait));
    }
  };
  const calls = Array.from({ length: CALLERS }, call);
  return {
    seen,
    async stop() {
      isOn = false;
      await Promise.all(calls);
      agent.destroy();
    },
  };
}

function send(
  port: number,
  method: Reply['method'],
  path: string,
  { token, body, agent }: { token?: string; body?: string; agent?: Agent } = {},
): Promise<Reply> {
  return new Promise((resolve) => {
    const none = (error: Error) =>
      resolve({ method, status: 0, body: error.message, wait: undefined });
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const options = { host: '127.0.0.1', port, method, path, headers, ...(agent && { agent }) };
    const sent = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.once('error', none);
      response.once('end', () =>
        resolve({
          method,
          status: response.statusCode!,
          body: text,
          wait: response.headers['retry-after'],
        }),
      );
    });
    sent.once('error', none);
    sent.end(body);
  });
}

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/cli/harness.ts';
import { freePort } from '../../../test/harness/free-port.ts';
import {
  type RedisServer,
  redisInstalled,
  startRedis,
} from '../../../test/harness/redis-server.ts';
import { MemoryRateLimiter } from '../../access/memory-rate-limiter.ts';
import type { RateDecision } from '../../access/rate-limiter.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { RedisRateLimiter } from './rate-limiter.ts';

/** A limiter, and the lines it logs. */
class Node {
  readonly lines: string[] = [];
  readonly limiter: RedisRateLimiter;

  constructor(url: string, windowSeconds?: number) {
    const note = (level: string) => (fields: object, message: string) =>
      this.lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
    const log: Log = {
      debug: note('debug'),
      info: note('info'),
      warn: note('warn'),
      error: note('error'),
    };
    this.limiter = new RedisRateLimiter({
      url,
      local: new MemoryRateLimiter({ clock: systemClock }),
      clock: systemClock,
      log,
      ...(windowSeconds !== undefined && { windowSeconds }),
    });
  }

  /** So many takes at once; those that were admitted. */
  async admitted(client: string, takes: number, limit = 600): Promise<RateDecision[]> {
    const all = Array.from({ length: takes }, async () => this.limiter.take(client, limit));
    return (await Promise.all(all)).filter(({ allowed }) => allowed);
  }

  shared(): Promise<void> {
    return until(() => this.limiter.isShared, 'Redis to be back');
  }

  away(): Promise<void> {
    return until(() => !this.limiter.isShared, 'Redis to be missed');
  }
}

const nodes: Node[] = [];
const servers: Server[] = [];

async function nodeOn(url: string, windowSeconds?: number): Promise<Node> {
  const node = new Node(url, windowSeconds);
  nodes.push(node);
  await node.limiter.start();
  return node;
}

afterEach(async () => {
  await Promise.all(nodes.splice(0).map(({ limiter }) => limiter.close()));
  for (const server of servers.splice(0)) {
    server.close();
  }
});

describe.skipIf(!redisInstalled)('RedisRateLimiter, when Redis', () => {
  let redis: RedisServer;
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(() => redis.close());

  it('is killed: no error, counts go on where they were, one line, and back by itself', async () => {
    const node = await nodeOn(redis.url);
    const client = randomUUID();
    expect(await node.admitted(client, 100)).toHaveLength(100);
    await redis.kill();
    expect(await node.admitted(client, 600)).toHaveLength(500);
    expect(node.limiter.isShared).toBe(false);
    expect(node.limiter.take(client, 600)).toMatchObject({ allowed: false, remaining: 0 });
    expect(node.limiter.countedLocally).toBeGreaterThanOrEqual(601);

    await redis.start();
    await node.shared();
    expect(node.lines).toEqual([
      expect.stringMatching(/^warn Redis is away: .*"reason":"\w/),
      expect.stringMatching(/^info Redis is back: /),
    ]);
    expect(node.lines[0]).toContain(`127.0.0.1:${redis.port}`);
    // It came back empty, and was told.
    expect(await node.admitted(client, 1)).toHaveLength(0);
    expect(await redis.command('GET', `stave:rate:${client}`)).toContain('600');
  });

  it('goes away again and again: a client gets no more than its limit, and no less', async () => {
    const node = await nodeOn(redis.url);
    const client = randomUUID();
    for (let i = 0; i < 3; i++) {
      expect(await node.admitted(client, 50)).toHaveLength(50);
      await redis.kill();
      await node.away();
      expect(await node.admitted(client, 50)).toHaveLength(50);
      await redis.start();
      await node.shared();
    }
    await redis.kill();
    await node.away();
    expect(await node.admitted(client, 600)).toHaveLength(300);
  });

  it('comes back empty: two nodes give a client together what was left of its limit', async () => {
    const [one, two] = [await nodeOn(redis.url), await nodeOn(redis.url)];
    const client = randomUUID();
    await one.admitted(client, 100);
    await two.admitted(client, 100);
    await one.admitted(client, 1);
    await redis.kill();
    await Promise.all([one.away(), two.away()]);
    expect(await one.admitted(client, 50)).toHaveLength(50);
    expect(await two.admitted(client, 60)).toHaveLength(60);
    await redis.start();
    await Promise.all([one.shared(), two.shared()]);
    const more = await Promise.all([one.admitted(client, 600), two.admitted(client, 600)]);
    // Who comes back first tells what Redis held when it was last heard of: 201 or 200.
    expect([600 - 201 - 110, 600 - 200 - 110]).toContain(more.flat().length);
  });

  it('is paused: the first answer within the budget, the next at once, and shared again', async () => {
    const node = await nodeOn(redis.url);
    const client = randomUUID();
    expect(await node.admitted(client, 10)).toHaveLength(10);
    redis.pause();
    const begunMs = performance.now();
    expect(await node.admitted(client, 20)).toHaveLength(20);
    expect(performance.now() - begunMs).toBeLessThan(400);
    // Not even a promise to wait for.
    expect(node.limiter.take(client, 600)).toMatchObject({ allowed: true, remaining: 569 });
    redis.resume();
    await node.shared();
    // 31 without Redis were told to it; the 20 that it had not answered, it counts now.
    const [next] = await node.admitted(client, 1);
    expect([568, 548]).toContain(next!.remaining);
    expect(node.lines).toEqual([
      expect.stringMatching(/^warn .*"reason":"no answer within 100 ms"/),
      expect.stringMatching(/^info /),
    ]);
  });

  it('is paused for longer than attempts take: they go on, and log nothing more', async () => {
    const node = await nodeOn(redis.url);
    redis.pause();
    await node.admitted(randomUUID(), 1);
    await sleep(2500);
    expect(node.limiter.isShared).toBe(false);
    redis.resume();
    await node.shared();
    expect(node.lines).toHaveLength(2);
  });

  it('answers, and our own thread was busy meanwhile: it does not count as away', async () => {
    const node = await nodeOn(redis.url);
    const client = randomUUID();
    for (let i = 0; i < 5; i++) {
      const asked = node.limiter.take(client, 600);
      const end = performance.now() + 150;
      while (performance.now() < end);
      expect(await asked).toMatchObject({ remaining: 599 - i });
    }
    expect(node.lines).toEqual([]);
  });

  it('grows slow: answers that come steadily, and late, are late', async () => {
    const [delay, port] = await delaying(redis.port);
    const node = await nodeOn(`redis://127.0.0.1:${port}`);
    const client = randomUUID();
    delay.ms = 200;
    let slowestMs = 0;
    const begunMs = performance.now();
    while (performance.now() - begunMs < 1000) {
      const askedMs = performance.now();
      void Promise.resolve(node.limiter.take(client, 100_000)).then(() => {
        slowestMs = Math.max(slowestMs, performance.now() - askedMs);
      });
      await sleep(2);
    }
    expect(node.limiter.isShared).toBe(false);
    expect(slowestMs).toBeLessThan(190);
    expect(node.lines).toHaveLength(1);
    delay.ms = 0;
    await node.shared();
  });

  it('comes back to a node that owes it thousands of windows: it is told of each', async () => {
    const node = await nodeOn(redis.url);
    await redis.kill();
    await node.away();
    const clients = Array.from({ length: 3210 }, () => randomUUID());
    await Promise.all(clients.map((client) => node.admitted(client, 2, 2)));
    await redis.start();
    await node.shared();
    for (const client of clients) {
      expect(await node.admitted(client, 1, 2)).toEqual([]);
    }
    expect(node.lines).toHaveLength(2);
  });

  it('has forgotten its scripts: is given them anew, and nothing is counted twice', async () => {
    const node = await nodeOn(redis.url);
    const client = randomUUID();
    await redis.command('SCRIPT', 'FLUSH');
    expect(await node.admitted(client, 650)).toHaveLength(600);
    expect(node.limiter.countedLocally).toBe(0);
  });

  it('takes no writes: counts go on without it until it does', async () => {
    const node = await nodeOn(redis.url);
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    expect(await node.admitted(randomUUID(), 5, 3)).toHaveLength(3);
    expect(node.lines).toEqual([expect.stringMatching(/^warn .*"reason":"OOM /)]);
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    await node.shared();
  });

  it('lost a window whose key lasts too long, its clock set back: it ends in time', async () => {
    const node = await nodeOn(redis.url);
    const client = randomUUID();
    await node.admitted(client, 2, 2);
    await redis.command('PEXPIRE', `stave:rate:${client}`, '3600000');
    expect(await node.limiter.take(client, 2)).toMatchObject({ allowed: false, resetSeconds: 60 });
  });

  it('is there no sooner than the service: counts without it from the start, then with it', async () => {
    await redis.kill();
    const node = await nodeOn(redis.url);
    const client = randomUUID();
    expect(await node.admitted(client, 650)).toHaveLength(600);
    expect(node.lines).toEqual([expect.stringMatching(/^warn .*ECONNREFUSED/)]);
    await redis.start();
    await node.shared();
    expect(await node.admitted(client, 1)).toHaveLength(0);
  });

  it('is away for longer than a window: what was owed of the old one is not told', async () => {
    const node = await nodeOn(redis.url, 1);
    const client = randomUUID();
    expect(await node.admitted(client, 3, 5)).toHaveLength(3);
    await redis.kill();
    expect(await node.admitted(client, 5, 5)).toHaveLength(2);
    await sleep(1100);
    await redis.start();
    await node.shared();
    expect(await node.admitted(client, 10, 5)).toHaveLength(5);
  });

  it('is left: what is asked after closing is counted here', async () => {
    const node = await nodeOn(redis.url);
    await node.limiter.close();
    expect(node.limiter.take(randomUUID(), 1)).toMatchObject({ allowed: true });
    expect(node.lines).toEqual([]);
  });
});

describe.skipIf(!redisInstalled)('RedisRateLimiter with a password', () => {
  const password = 'open sesame/@:';

  it('gives it to Redis, and never logs it', async () => {
    const redis = await startRedis({ password });
    try {
      const good = await nodeOn(redis.url);
      expect(good.limiter.isShared).toBe(true);
      const bad = await nodeOn(`redis://:wrong-sesame@127.0.0.1:${redis.port}`);
      expect(bad.limiter.isShared).toBe(false);
      const none = await nodeOn(`redis://127.0.0.1:${redis.port}`);
      expect(none.limiter.isShared).toBe(false);
      await redis.kill();
      await good.away();
      await until(() => good.lines.length === 1, 'the line');
      expect([bad, none].map(({ lines }) => lines)).toEqual([
        [expect.stringContaining('WRONGPASS')],
        [expect.stringContaining('NOAUTH')],
      ]);
      expect([good, bad, none].flatMap(({ lines }) => lines).join()).not.toMatch(/sesame/);
    } finally {
      await redis.close();
    }
  });
});

describe('RedisRateLimiter, where something else listens', () => {
  it.each([
    ['speaks HTTP', () => createHttpServer((_, response) => response.end('no'))],
    ['says nothing', () => createServer((socket) => socket.on('error', () => {}).resume())],
    ['hangs up', () => createServer((socket) => socket.destroy())],
    [
      'says everything back',
      () => createServer((socket) => socket.on('data', (data) => socket.write(errorOf(data)))),
    ],
  ])('that %s: counts here, within bounds, and does not log the password', async (_, make) => {
    const server = make();
    servers.push(server);
    const port = await listening(server);
    const begunMs = performance.now();
    const node = await nodeOn(`redis://:se%2Fsame@127.0.0.1:${port}`);
    expect(performance.now() - begunMs).toBeLessThan(3000);
    expect(await node.admitted(randomUUID(), 4, 3)).toHaveLength(3);
    expect(node.lines).toEqual([expect.stringMatching(/^warn .*"reason":"[^"]/)]);
    expect(node.lines.join()).not.toMatch(/se(?:\/|%2F)same/);
  });

  it('or nothing: closes at once, however long the pauses have become', async () => {
    const node = await nodeOn(`redis://127.0.0.1:${await freePort()}`);
    const begunMs = performance.now();
    await node.limiter.close();
    expect(performance.now() - begunMs).toBeLessThan(1500);
  });
});

/** A way to a port on which every answer takes so many milliseconds longer, in their order. */
async function delaying(port: number): Promise<[delay: { ms: number }, port: number]> {
  const delay = { ms: 0 };
  const server = createServer((near) => {
    const far = connect({ host: '127.0.0.1', port });
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('error', end).on('close', end);
    near.on('data', (data) => far.write(data));
    far.on('data', (data) => setTimeout(() => near.writable && near.write(data), delay.ms));
  });
  servers.push(server);
  return [delay, await listening(server)];
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}

/** An error reply of Redis that holds what was sent, as that to an unknown command does. */
function errorOf(data: Buffer): string {
  return `-ERR unknown command '${data.toString('utf8').replaceAll(/\r\n/g, ' ')}'\r\n`;
}

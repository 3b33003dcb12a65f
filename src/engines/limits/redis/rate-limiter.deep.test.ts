import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../../../../test/guards/source.ts';
import { closeLimiterNodes, openLimiterNode } from '../../../../test/harness/limiter-nodes.ts';
import {
  type RedisServer,
  redisInstalled,
  startRedis,
} from '../../../../test/harness/redis-server.ts';

/** The budget of a test that counts exactly: Redis may be slow on a busy machine. */
const PATIENT_MS = 2_000;

const servers: Server[] = [];

afterEach(async () => {
  await closeLimiterNodes();
  for (const server of servers.splice(0)) {
    server.close();
  }
});

describe.skipIf(!redisInstalled)('RedisRateLimiter', () => {
  let redis: RedisServer;
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(() => redis.close());

  it('counts locally while Redis is down, and uses Redis again when it starts', async () => {
    const node = await openLimiterNode(redis.url, PATIENT_MS);
    const client = randomUUID();
    expect(await node.admitted(client, 100)).toHaveLength(100);
    await redis.kill();
    expect(await node.admitted(client, 650)).toHaveLength(600);
    expect(node.limiter.isShared).toBe(false);
    expect(node.limiter.take(client, 600)).toMatchObject({ allowed: false, remaining: 0 });
    expect(node.limiter.countedLocally).toBe(651);

    await redis.start();
    await node.shared();
    expect(node.lines).toEqual([
      expect.stringMatching(/^warn Redis is away: .*"reason":"\w/),
      expect.stringMatching(/^info Redis is back: .*"countedLocally":651/),
    ]);
    expect(node.lines[0]).toContain(`127.0.0.1:${redis.port}`);
    // Redis has lost its counts, and does not receive those that were made without it.
    expect(await node.admitted(client, 1)).toMatchObject([{ remaining: 599 }]);
    expect(await redis.command('GET', `stave:rate:${client}`)).toMatch(/^\$1\r\n1\r\n/);
  });

  it('does not mix the counts of Redis with the local ones during repeated outages', async () => {
    const node = await openLimiterNode(redis.url, PATIENT_MS);
    const client = randomUUID();
    for (let i = 1; i <= 3; i++) {
      expect((await node.admitted(client, 50)).at(-1)).toMatchObject({ remaining: 600 - i * 50 });
      redis.pause();
      await node.admitted(randomUUID(), 1);
      await node.unavailable();
      expect((await node.admitted(client, 20)).at(-1)).toMatchObject({ remaining: 600 - i * 20 });
      redis.resume();
      await node.shared();
    }
    expect(await node.admitted(client, 600)).toHaveLength(450);
  });

  it('counts on each of two nodes separately while Redis is down, and together afterwards', async () => {
    const [one, two] = [
      await openLimiterNode(redis.url, PATIENT_MS),
      await openLimiterNode(redis.url, PATIENT_MS),
    ];
    const client = randomUUID();
    const admittedByBoth = async () => {
      const both = await Promise.all([one.admitted(client, 650), two.admitted(client, 650)]);
      return both.map(({ length }) => length);
    };
    expect((await admittedByBoth()).reduce((a, b) => a + b)).toBe(600);
    await redis.kill();
    expect(await admittedByBoth()).toEqual([600, 600]);
    await redis.start();
    await Promise.all([one.shared(), two.shared()]);
    expect((await admittedByBoth()).reduce((a, b) => a + b)).toBe(600);
  });

  it('decides within its time limit if Redis hangs, then immediately, and uses Redis again later', async () => {
    const node = await openLimiterNode(redis.url);
    const client = randomUUID();
    expect(await node.admitted(client, 10)).toHaveLength(10);
    redis.pause();
    const begunMs = performance.now();
    expect(await node.admitted(client, 20)).toHaveLength(20);
    expect(performance.now() - begunMs).toBeLessThan(1000);
    // From now on, the decision is synchronous, without a promise.
    expect(node.limiter.take(client, 600)).toMatchObject({ allowed: true, remaining: 579 });
    redis.resume();
    await node.shared();
    // Redis may have counted the 20 requests whose replies were late.
    const [next] = await node.admitted(client, 1);
    expect([589, 569]).toContain(next!.remaining);
    expect(node.lines).toEqual([
      expect.stringMatching(/^warn .*"reason":"no answer within 100 ms"/),
      expect.stringMatching(/^info /),
    ]);
  });

  it('tries to connect again without further log lines during a long outage', async () => {
    const node = await openLimiterNode(redis.url, PATIENT_MS);
    redis.pause();
    await node.admitted(randomUUID(), 1);
    await sleep(2500);
    expect(node.limiter.isShared).toBe(false);
    redis.resume();
    await node.shared();
    expect(node.lines).toHaveLength(2);
  });

  it('keeps using Redis if a reply is late because its own thread was busy', async () => {
    const node = await openLimiterNode(redis.url);
    const client = randomUUID();
    for (let i = 0; i < 5; i++) {
      const decision = node.limiter.take(client, 600);
      const end = performance.now() + 150;
      while (performance.now() < end);
      expect(await decision).toMatchObject({ remaining: 599 - i });
    }
    expect(node.lines).toEqual([]);
  });

  it('counts locally if Redis replies steadily but late', async () => {
    const [delay, port] = await delaying(redis.port);
    const node = await openLimiterNode(`redis://127.0.0.1:${port}`);
    const client = randomUUID();
    let slowestMs = 0;
    while (node.limiter.isShared && delay.ms < 2000) {
      delay.ms += 2;
      const begunMs = performance.now();
      void Promise.resolve(node.limiter.take(client, 100_000)).then(() => {
        slowestMs = Math.max(slowestMs, performance.now() - begunMs);
      });
      await sleep(2);
    }
    expect(node.limiter.isShared).toBe(false);
    expect(slowestMs).toBeLessThan(1000);
    expect(node.lines).toHaveLength(1);
    delay.ms = 0;
    await node.shared();
  });

  it('loads its scripts again if Redis lost them, and counts nothing twice', async () => {
    const node = await openLimiterNode(redis.url, PATIENT_MS);
    const client = randomUUID();
    await redis.command('SCRIPT', 'FLUSH');
    expect(await node.admitted(client, 650)).toHaveLength(600);
    expect(node.limiter.countedLocally).toBe(0);
  });

  it('counts locally while Redis refuses writes', async () => {
    const node = await openLimiterNode(redis.url, PATIENT_MS);
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    expect(await node.admitted(randomUUID(), 5, 3)).toHaveLength(3);
    expect(node.lines).toEqual([expect.stringMatching(/^warn .*"reason":"OOM /)]);
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    await node.shared();
  });

  it('limits a window to 60 s if its key expires later because the clock of Redis was set back', async () => {
    const node = await openLimiterNode(redis.url, PATIENT_MS);
    const client = randomUUID();
    await node.admitted(client, 2, 2);
    await redis.command('PEXPIRE', `stave:rate:${client}`, '3600000');
    expect(await node.limiter.take(client, 2)).toMatchObject({ allowed: false, resetSeconds: 60 });
  });

  it('counts locally if Redis starts later than the service, then uses Redis', async () => {
    await redis.kill();
    const node = await openLimiterNode(redis.url, PATIENT_MS);
    const client = randomUUID();
    expect(await node.admitted(client, 650)).toHaveLength(600);
    expect(node.lines).toEqual([expect.stringMatching(/^warn .*ECONNREFUSED/)]);
    await redis.start();
    await node.shared();
    expect(await node.admitted(client, 650)).toHaveLength(600);
  });

  it('needs only the commands that the operations guide lists', async () => {
    const guide = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
    const [, rights] = /`(~stave:rate:\* [^`]+)`/.exec(guide)!;
    await redis.command('ACL', 'SETUSER', 'stave', 'on', '>secret', ...rights!.split(' '));
    const node = await openLimiterNode(`redis://stave:secret@127.0.0.1:${redis.port}`, PATIENT_MS);
    const client = randomUUID();
    expect(await node.admitted(client, 3, 2)).toHaveLength(2);
    // Also covers the branch that shortens a window.
    await redis.command('PEXPIRE', `stave:rate:${client}`, '3600000');
    expect(await node.admitted(client, 1, 2)).toHaveLength(0);
    expect(node.lines).toEqual([]);
  });

  it('counts locally after it is closed', async () => {
    const node = await openLimiterNode(redis.url);
    await node.limiter.close();
    expect(node.limiter.take(randomUUID(), 1)).toMatchObject({ allowed: true });
    expect(node.lines).toEqual([]);
  });
});

/** Opens a port that forwards to this one and delays every reply by this many milliseconds, in order. */
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

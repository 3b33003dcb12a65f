import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../../../test/harness/free-port.ts';
import { closeLimiterNodes, openLimiterNode } from '../../../../test/harness/limiter-nodes.ts';
import { redisInstalled, startRedis } from '../../../../test/harness/redis-server.ts';
import { until } from '../../../../test/harness/until.ts';

const servers: Server[] = [];

afterEach(async () => {
  await closeLimiterNodes();
  for (const server of servers.splice(0)) {
    server.close();
  }
});

describe.skipIf(!redisInstalled)('RedisRateLimiter with a password', () => {
  const password = 'open sesame/@:';

  it('sends it to Redis, and never logs it', async () => {
    const redis = await startRedis({ password });
    try {
      const good = await openLimiterNode(redis.url);
      expect(good.limiter.isShared).toBe(true);
      const bad = await openLimiterNode(`redis://:wrong-sesame@127.0.0.1:${redis.port}`);
      expect(bad.limiter.isShared).toBe(false);
      const none = await openLimiterNode(`redis://127.0.0.1:${redis.port}`);
      expect(none.limiter.isShared).toBe(false);
      await redis.kill();
      await good.unavailable();
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

  it('may have users without one', async () => {
    const redis = await startRedis();
    try {
      await redis.command('ACL', 'SETUSER', 'stave', 'on', 'nopass', '~*', '&*', '+@all');
      const node = await openLimiterNode(`redis://stave@127.0.0.1:${redis.port}`, 2_000);
      expect([node.limiter.isShared, node.lines]).toEqual([true, []]);
    } finally {
      await redis.close();
    }
  });
});

it.skipIf(!redisInstalled).each([
  ['the server has no passwords', (port: number) => `redis://:sesame@127.0.0.1:${port}`, 'AUTH'],
  ['the database does not exist', (port: number) => `redis://127.0.0.1:${port}/9999`, 'ERR DB'],
])('RedisRateLimiter counts locally if %s', async (_, urlOf, reason) => {
  const redis = await startRedis();
  try {
    const node = await openLimiterNode(urlOf(redis.port));
    expect(node.limiter.isShared).toBe(false);
    expect(node.lines).toEqual([expect.stringContaining(reason)]);
  } finally {
    await redis.close();
  }
});

it.skipIf(!redisInstalled)('RedisRateLimiter counts in the database of the URL', async () => {
  const redis = await startRedis();
  try {
    const node = await openLimiterNode(`${redis.url}/3?db=5`, 2_000);
    expect(await node.admitted(randomUUID(), 4, 3)).toHaveLength(3);
    expect(await redis.command('INFO', 'keyspace')).toMatch(/^db3:keys=2,/m);
  } finally {
    await redis.close();
  }
});

describe('RedisRateLimiter without Redis', () => {
  it.each([
    ['speaks HTTP', () => createHttpServer((_, response) => response.end('no'))],
    ['sends nothing', () => createServer((socket) => socket.on('error', () => {}).resume())],
    ['closes the connection', () => createServer((socket) => socket.destroy())],
    [
      'sends everything back',
      () => createServer((socket) => socket.on('data', (data) => socket.write(errorOf(data)))),
    ],
  ])('counts locally in time and does not log the password if the server %s', async (_, make) => {
    const server = make();
    servers.push(server);
    const port = await listening(server);
    const begunMs = performance.now();
    const node = await openLimiterNode(`redis://se%0Ause:se%2Fsame@127.0.0.1:${port}`);
    expect(performance.now() - begunMs).toBeLessThan(3000);
    expect(await node.admitted(randomUUID(), 4, 3)).toHaveLength(3);
    expect(node.lines).toEqual([expect.stringMatching(/^warn .*"reason":"[^"]/)]);
    expect(node.lines.join()).not.toMatch(/se(?:\/|%2F)same|use/);
  });

  it('closes within 1.5 s if nothing listens', async () => {
    const node = await openLimiterNode(`redis://127.0.0.1:${await freePort()}`);
    const begunMs = performance.now();
    await node.limiter.close();
    expect(performance.now() - begunMs).toBeLessThan(1500);
  });
});

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}

/** Returns an error reply of Redis that contains what was sent, like the reply to an unknown command. */
function errorOf(data: Buffer): string {
  return `-ERR unknown command '${data.toString('utf8').replaceAll(/\r\n/g, ' ')}'\r\n`;
}

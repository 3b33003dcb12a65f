import { describe, expect, it } from 'vitest';
import { freePort } from '../../../test/harness/free-port.ts';
import { redisInstalled, startRedis } from '../../../test/harness/redis-server.ts';
import { readConfig } from '../../app/config/config.ts';
import { checkRedis } from './check-machine.ts';

const configured = (url: string) => readConfig({ STAVE_REDIS_URL: url });

describe('checkRedis', () => {
  it('reports no problem without Redis', async () => {
    expect(await checkRedis(readConfig({}))).toMatchObject({ status: 'ok' });
  });

  it('warns if Redis is unavailable', async () => {
    const port = await freePort();
    expect(await checkRedis(configured(`redis://:sesame@127.0.0.1:${port}`))).toMatchObject({
      status: 'warning',
      detail: expect.stringMatching(new RegExp(`^127.0.0.1:${port} is away .*ECONNREFUSED`)),
    });
  });

  it.skipIf(!redisInstalled)('warns of a replica that refuses writes', async () => {
    const redis = await startRedis();
    try {
      await redis.command('REPLICAOF', '127.0.0.1', '1');
      expect(await checkRedis(configured(redis.url))).toMatchObject({
        status: 'warning',
        detail: expect.stringMatching(/ is a read-only replica; each node counts/),
        advice: expect.stringContaining('name the primary in STAVE_REDIS_URL'),
      });
      await redis.command('CONFIG', 'SET', 'replica-read-only', 'no');
      expect(await checkRedis(configured(redis.url))).toMatchObject({ status: 'ok' });
    } finally {
      await redis.close();
    }
  });

  it.skipIf(!redisInstalled)('reports the version of Redis, and a wrong password', async () => {
    const redis = await startRedis({ password: 'sesame' });
    try {
      expect(await checkRedis(configured(redis.url))).toMatchObject({
        status: 'ok',
        detail: expect.stringMatching(/^Redis \d+\.\d+\.\d+ at 127\.0\.0\.1:\d+$/),
      });
      const bad = await checkRedis(configured(redis.url.replace('sesame', 'other')));
      expect(bad).toMatchObject({
        status: 'warning',
        detail: expect.stringContaining('WRONGPASS'),
      });
      expect(JSON.stringify(bad)).not.toMatch(/sesame|other/);
    } finally {
      await redis.close();
    }
  });
});

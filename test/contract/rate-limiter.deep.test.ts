import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/common/clock.ts';
import { silentLog } from '../../src/common/log.ts';
import {
  createRateLimitMemory,
  MemoryRateLimiter,
} from '../../src/engines/limits/memory-rate-limiter.ts';
import {
  type AttemptLimiter,
  type RateLimiter,
  WINDOW_SECONDS,
} from '../../src/engines/limits/rate-limiter.ts';
import { RedisRateLimiter } from '../../src/engines/limits/redis/rate-limiter.ts';
import { TestClock } from '../harness/clock.ts';
import { hasRedis, openRedis } from '../harness/redis-server.ts';

/** One kind of limiter. The whole suite runs on each. */
interface Kind {
  name: string;
  left: boolean;
  open(): Promise<void>;
  close(): Promise<void>;
  /** Limiters that share their counts. */
  limiters(): readonly AttemptLimiter[];
  /** Simulates that whole seconds pass for these keys. */
  pass(seconds: number, keys: readonly string[]): Promise<void>;
  /** A limiter whose windows last one real second. */
  brief(): Promise<RateLimiter>;
}

function memory(): Kind {
  const clock = new TestClock();
  const memory = createRateLimitMemory(clock);
  const limiters = [1, 2, 3].map(() => new MemoryRateLimiter({ clock, memory }));
  return {
    name: 'in memory',
    left: false,
    open: async () => {},
    close: async () => {},
    limiters: () => limiters,
    pass: async (seconds) => clock.advance(seconds),
    brief: async () => new MemoryRateLimiter({ clock: systemClock, windowSeconds: 1 }),
  };
}

/**
 * A test cannot advance the clock of Redis. But time only brings the expiry of a window nearer, and a test can change
 * the expiry.
 */
function redis(): Kind {
  let server: Awaited<ReturnType<typeof openRedis>>;
  const opened: RedisRateLimiter[] = [];
  const open = async (windowSeconds: number) => {
    const local = new MemoryRateLimiter({ clock: systemClock });
    const limiter = new RedisRateLimiter({
      url: server.url,
      local,
      log: silentLog,
      windowSeconds,
      budgetMs: 10_000,
    });
    opened.push(limiter);
    await limiter.start();
    expect(limiter.isShared).toBe(true);
    return limiter;
  };
  return {
    name: 'in Redis, over three connections',
    left: !hasRedis,
    async open() {
      server = await openRedis();
      await Promise.all([1, 2, 3].map(() => open(WINDOW_SECONDS)));
    },
    async close() {
      // Otherwise, the tests would only have tested the local fallback.
      expect(opened.map((limiter) => limiter.countedLocally)).toEqual(opened.map(() => 0));
      await Promise.all(opened.map((limiter) => limiter.close()));
      await server.close();
    },
    limiters: () => opened.slice(0, 3),
    async pass(seconds, keys) {
      const nearer = `
        for _, key in ipairs(KEYS) do
          local left = redis.call('PTTL', key) - ARGV[1]
          if left > 0 then redis.call('PEXPIRE', key, left) else redis.call('DEL', key) end
        end`;
      const names = keys.map((key) => `stave:rate:${key}`);
      await server.command('EVAL', nearer, `${names.length}`, ...names, `${seconds * 1000}`);
    },
    brief: () => open(1),
  };
}

for (const kind of [memory(), redis()]) {
  describe.skipIf(kind.left)(`limits counted ${kind.name}`, () => {
    beforeAll(() => kind.open());
    afterAll(() => kind.close());

    it('admit exactly 600 of 650 simultaneous requests, over all limiters', async () => {
      const limiters = kind.limiters();
      const client = randomUUID();
      const decisions = await Promise.all(
        Array.from({ length: 650 }, async (_, i) =>
          limiters[i % limiters.length]!.take(client, 600),
        ),
      );
      const admitted = decisions.filter(({ allowed }) => allowed);
      expect(admitted).toHaveLength(600);
      // Each got another number of remaining requests.
      expect(new Set(admitted.map(({ remaining }) => remaining)).size).toBe(600);
      for (const refusal of decisions.filter(({ allowed }) => !allowed)) {
        expect(refusal).toEqual({ allowed: false, limit: 600, remaining: 0, resetSeconds: 60 });
      }
    });

    it('equal a simple model for any keys, limits, limiters and waits', async () => {
      const step = fc.record({
        key: fc.constantFrom('a', 'b', 'c'),
        limit: fc.integer({ min: 1, max: 4 }),
        by: fc.nat({ max: 2 }),
        wait: fc.oneof(fc.constant(0), fc.constant(0), fc.integer({ min: 1, max: 70 })),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
          const clients = { a: randomUUID(), b: randomUUID(), c: randomUUID() };
          const model = new Map<string, { start: number; used: number }>();
          let now = 0;
          for (const { key, limit, by, wait } of steps) {
            if (wait > 0) {
              await kind.pass(wait, Object.values(clients));
              now += wait;
            }
            let window = model.get(key);
            if (window === undefined || now >= window.start + 60) {
              window = { start: now, used: 0 };
              model.set(key, window);
            }
            const allowed = window.used < limit;
            window.used += allowed ? 1 : 0;
            expect(
              await kind.limiters()[by]!.take(clients[key as keyof typeof clients], limit),
            ).toEqual({
              allowed,
              limit,
              remaining: Math.max(0, limit - window.used),
              resetSeconds: window.start + 60 - now,
            });
          }
        }),
        { numRuns: 60 },
      );
    });

    it('admit a client again after a real window, and not before', async () => {
      const limiter = await kind.brief();
      const client = randomUUID();
      expect(await limiter.take(client, 1)).toMatchObject({ allowed: true, resetSeconds: 1 });
      const begunMs = performance.now();
      while (!(await limiter.take(client, 1)).allowed) {
        expect(performance.now() - begunMs).toBeLessThan(5000);
        await sleep(5);
      }
      expect(performance.now() - begunMs).toBeGreaterThan(900);
    });

    it('take back what did not count, in its own window only', async () => {
      const [one, two] = kind.limiters() as [AttemptLimiter, AttemptLimiter];
      const key = randomUUID();
      const first = await one.take(key, 2, 3_600);
      expect(first).toEqual({ allowed: true, limit: 2, remaining: 1, resetSeconds: 3_600 });
      await kind.pass(61, [key]);
      const second = await two.take(key, 2, 3_600);
      expect(second).toMatchObject({ remaining: 0, resetSeconds: 3_539 });
      await one.giveBack(key, second);
      expect(await two.take(key, 2, 3_600)).toMatchObject({ remaining: 0, resetSeconds: 3_539 });
      await Promise.all([two.giveBack(key, second), one.giveBack(key, first)]);
      // Without counts, the window has ended.
      expect(await one.take(key, 1, 3_600)).toMatchObject({ remaining: 0, resetSeconds: 3_600 });
      await two.giveBack(key, second);
      expect(await two.take(key, 1, 3_600)).toMatchObject({ allowed: false });
      await kind.pass(3_600, [key]);
      await one.giveBack(key, first);
      expect(await two.take(key, 1, 3_600)).toMatchObject({ allowed: true, resetSeconds: 3_600 });
    });

    it('report the whole window if the limit is 0, which starts no window', async () => {
      const [limiter] = kind.limiters();
      const refusal = { allowed: false, limit: 0, remaining: 0, resetSeconds: 60 };
      expect(await limiter!.take(randomUUID(), 0)).toEqual(refusal);
    });
  });
}

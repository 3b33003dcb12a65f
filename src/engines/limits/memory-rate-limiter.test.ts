import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TestClock } from '../../../test/harness/clock.ts';
import type { TakeWork } from '../../../test/harness/programs/take-thread.ts';
import { systemClock } from '../../common/clock.ts';
import { createRateLimitMemory, MemoryRateLimiter } from './memory-rate-limiter.ts';

const KEYS = ['a', 'b', '', 'ünï', 'a client with a long name '.repeat(9)];

describe('MemoryRateLimiter', () => {
  it('allows exactly 600 of 650 concurrent requests', async () => {
    const limiter = new MemoryRateLimiter({ clock: new TestClock() });
    const decisions = await Promise.all(
      Array.from({ length: 650 }, async () => limiter.take('client', 600)),
    );
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(600);
    expect(decisions.at(-1)).toEqual({
      allowed: false,
      limit: 600,
      remaining: 0,
      resetSeconds: 60,
    });
  });

  it('returns the remaining requests and the remaining seconds, at least one', () => {
    const clock = new TestClock();
    const limiter = new MemoryRateLimiter({ clock });
    expect(limiter.take('client', 3)).toMatchObject({ remaining: 2, resetSeconds: 60 });
    clock.advance(0.001);
    expect(limiter.take('client', 3)).toMatchObject({ remaining: 1, resetSeconds: 60 });
    clock.advance(59.998);
    expect(limiter.take('client', 3)).toMatchObject({ remaining: 0, resetSeconds: 1 });
    clock.advance(0.001);
    expect(limiter.take('client', 3)).toMatchObject({ remaining: 2, resetSeconds: 60 });
  });

  it('allows a client again after the seconds of a refusal', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 59_999 }), (waitedMs) => {
        const clock = new TestClock();
        const limiter = new MemoryRateLimiter({ clock });
        limiter.take('client', 1);
        clock.advance(waitedMs / 1000);
        const refusal = limiter.take('client', 1);
        expect(refusal.allowed).toBe(false);
        clock.advance(refusal.resetSeconds);
        expect(limiter.take('client', 1).allowed).toBe(true);
      }),
    );
  });

  it('counts each client separately, with its own limit', () => {
    const limiter = new MemoryRateLimiter({ clock: new TestClock() });
    expect(limiter.take('a', 1).allowed).toBe(true);
    expect(limiter.take('a', 1).allowed).toBe(false);
    expect(limiter.take('b', 2).allowed).toBe(true);
    expect(limiter.take('b', 2).allowed).toBe(true);
    expect(limiter.take('b', 2).allowed).toBe(false);
  });

  it('applies a lower limit within the current window', () => {
    const limiter = new MemoryRateLimiter({ clock: new TestClock() });
    for (let i = 0; i < 5; i++) {
      limiter.take('client', 10);
    }
    expect(limiter.take('client', 3)).toMatchObject({ allowed: false, remaining: 0 });
    expect(limiter.take('client', 6)).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('decides in `peek` without counting', () => {
    const clock = new TestClock();
    const limiter = new MemoryRateLimiter({ clock });
    expect(limiter.peek('client', 1)).toMatchObject({ allowed: true, remaining: 1 });
    limiter.take('client', 1);
    clock.advance(30);
    const refusal = { allowed: false, limit: 1, remaining: 0, resetSeconds: 30 };
    expect(limiter.peek('client', 1)).toEqual(refusal);
    expect(limiter.take('client', 1)).toEqual(refusal);
  });

  it('keeps its counts, and does not block for long, if the clock is set back', () => {
    const clock = new TestClock();
    const limiter = new MemoryRateLimiter({ clock });
    limiter.take('key', 1);
    clock.advance(-3600);
    expect(limiter.take('key', 1)).toMatchObject({ allowed: false, resetSeconds: 60 });
    clock.advance(60);
    expect(limiter.take('key', 1)).toMatchObject({ allowed: true });
  });

  it('decides like a naive model for any keys, limits, times and threads', () => {
    const step = fc.record({
      what: fc.constantFrom('take', 'take', 'peek'),
      by: fc.integer({ min: 0, max: 2 }),
      key: fc.constantFrom(...KEYS),
      limit: fc.integer({ min: 0, max: 4 }),
      // A negative wait sets the clock back.
      waitMs: fc.oneof(fc.constant(0), fc.integer({ min: -5000, max: 70_000 })),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const clock = new TestClock();
        const memory = createRateLimitMemory(clock, 1024);
        const limiters = [0, 1, 2].map(() => new MemoryRateLimiter({ clock, memory }));
        const model = new Map<string, { start: number; used: number }>();
        let now = 0;
        for (const { what, by, key, limit, waitMs } of steps) {
          clock.advance(waitMs / 1000);
          now += Math.max(0, waitMs);
          let window = model.get(key);
          if (window === undefined || window.used === 0 || now >= window.start + 60_000) {
            window = { start: now, used: 0 };
            model.set(key, window);
          }
          const allowed = window.used < limit;
          window.used += allowed && what === 'take' ? 1 : 0;
          expect(limiters[by]![what](key, limit)).toEqual({
            allowed,
            limit,
            remaining: Math.max(0, limit - window.used),
            resetSeconds: Math.ceil((window.start + 60_000 - now) / 1000),
          });
        }
      }),
      { numRuns: 500 },
    );
  });

  it('counts tens of thousands of clients separately', () => {
    const limiter = new MemoryRateLimiter({ clock: new TestClock() });
    const keys = Array.from({ length: 20_000 }, (_, i) => `client ${i}`);
    for (const [i, key] of keys.entries()) {
      for (let n = 0; n <= i % 3; n++) limiter.take(key, 3);
    }
    expect(keys.filter((key, i) => limiter.peek(key, 3).remaining !== 2 - (i % 3))).toEqual([]);
  });

  it('removes the oldest windows if its memory is full, and keeps counting the newest', () => {
    const clock = new TestClock();
    const limiter = new MemoryRateLimiter({ clock, memory: createRateLimitMemory(clock, 64) });
    for (let i = 0; i < 1_000; i++) {
      clock.advance(0.001);
      limiter.take(`key ${i}`, 2);
      expect(limiter.take(`key ${i}`, 2)).toMatchObject({ allowed: true, remaining: 0 });
    }
    const left = Array.from({ length: 1_000 }, (_, i) => 2 - limiter.peek(`key ${i}`, 2).remaining);
    expect(left.filter((count) => count > 0).length).toBeLessThanOrEqual(64);
    expect(left.slice(-8)).toEqual(Array(8).fill(2));
  });

  it('reuses the memory of ended windows', () => {
    const clock = new TestClock();
    const limiter = new MemoryRateLimiter({ clock, memory: createRateLimitMemory(clock, 16) });
    const keys = ['a', 'b', 'c'].flatMap((round) =>
      Array.from({ length: 16 }, (_, i) => `${round} ${i}`),
    );
    for (const [i, key] of keys.entries()) {
      if (i % 16 === 0) clock.advance(60);
      expect(limiter.take(key, 1)).toMatchObject({ allowed: true });
    }
    expect(keys.map((key) => limiter.peek(key, 1).remaining)).toEqual([
      ...Array(32).fill(1),
      ...Array(16).fill(0),
    ]);
  });

  it('allows exactly 600 of 650 requests from four concurrent threads, repeatedly', async () => {
    for (let round = 0; round < 5; round++) {
      const memory = createRateLimitMemory(systemClock);
      const gate = new Int32Array(new SharedArrayBuffer(4));
      const module = new URL('../../../test/harness/programs/take-thread.ts', import.meta.url);
      const threads = [163, 163, 162, 162].map((takes) => {
        const workerData: TakeWork = { memory, gate, takes, limit: 600 };
        return new Worker(module, { workerData });
      });
      await Promise.all(threads.map((thread) => once(thread, 'message')));
      const counts = Promise.all(threads.map((thread) => once(thread, 'message')));
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
      const allowed = (await counts).map(([count]) => count as number);
      expect(allowed.reduce((a, b) => a + b)).toBe(600);
      const limiter = new MemoryRateLimiter({ clock: systemClock, memory });
      expect(limiter.peek('client', 1000).remaining).toBe(400);
      await Promise.all(threads.map((thread) => thread.terminate()));
    }
  });
});

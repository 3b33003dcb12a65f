import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TurnedClock } from '../../test/fixtures/turned-clock.ts';
import { MemoryRateLimiter } from './memory-rate-limiter.ts';

describe('MemoryRateLimiter', () => {
  it('passes exactly 600 of 650 concurrent requests', async () => {
    const limiter = new MemoryRateLimiter({ clock: new TurnedClock() });
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

  it('counts down what remains and what is left of the window, never below one second', () => {
    const clock = new TurnedClock();
    const limiter = new MemoryRateLimiter({ clock });
    expect(limiter.take('client', 3)).toMatchObject({ remaining: 2, resetSeconds: 60 });
    clock.turn(0.001);
    expect(limiter.take('client', 3)).toMatchObject({ remaining: 1, resetSeconds: 60 });
    clock.turn(59.998);
    expect(limiter.take('client', 3)).toMatchObject({ remaining: 0, resetSeconds: 1 });
    clock.turn(0.001);
    expect(limiter.take('client', 3)).toMatchObject({ remaining: 2, resetSeconds: 60 });
  });

  it('lets a client in again after the seconds that a refusal named', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 59_999 }), (waitedMs) => {
        const clock = new TurnedClock();
        const limiter = new MemoryRateLimiter({ clock });
        limiter.take('client', 1);
        clock.turn(waitedMs / 1000);
        const refusal = limiter.take('client', 1);
        expect(refusal.allowed).toBe(false);
        clock.turn(refusal.resetSeconds);
        expect(limiter.take('client', 1).allowed).toBe(true);
      }),
    );
  });

  it('keeps clients apart, each by its own limit', () => {
    const limiter = new MemoryRateLimiter({ clock: new TurnedClock() });
    expect(limiter.take('a', 1).allowed).toBe(true);
    expect(limiter.take('a', 1).allowed).toBe(false);
    expect(limiter.take('b', 2).allowed).toBe(true);
    expect(limiter.take('b', 2).allowed).toBe(true);
    expect(limiter.take('b', 2).allowed).toBe(false);
  });

  it('holds to a limit that was lowered in the middle of a window', () => {
    const limiter = new MemoryRateLimiter({ clock: new TurnedClock() });
    for (let i = 0; i < 5; i++) {
      limiter.take('client', 10);
    }
    expect(limiter.take('client', 3)).toMatchObject({ allowed: false, remaining: 0 });
    expect(limiter.take('client', 6)).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('does what a naive model does, whatever the keys, limits and times, and a clock set back', () => {
    const step = fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      limit: fc.integer({ min: 1, max: 4 }),
      waitMs: fc.oneof(fc.constant(0), fc.integer({ min: -5000, max: 70_000 })),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const clock = new TurnedClock();
        const limiter = new MemoryRateLimiter({ clock });
        const model = new Map<string, { start: number; used: number }>();
        let now = 0;
        for (const { key, limit, waitMs } of steps) {
          clock.turn(waitMs / 1000);
          now += Math.max(0, waitMs);
          let window = model.get(key);
          if (window === undefined || now >= window.start + 60_000) {
            window = { start: now, used: 0 };
            model.set(key, window);
          }
          const allowed = window.used < limit;
          window.used += allowed ? 1 : 0;
          expect(limiter.take(key, limit)).toEqual({
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
});

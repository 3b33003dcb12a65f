import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TakeWork } from '../../test/fixtures/take-thread.ts';
import { TurnedClock } from '../../test/fixtures/turned-clock.ts';
import { systemClock } from '../kernel/clock.ts';
import { FixedWindows } from './fixed-windows.ts';
import { GuessLimiter } from './guess-limiter.ts';
import { SharedWindows, windowsMemory } from './shared-windows.ts';

const KEYS = ['a', 'b', '', 'ünï', 'a client with a long name '.repeat(9)];

describe('SharedWindows', () => {
  it('does what FixedWindows does, whichever thread counts, and with a clock set back', () => {
    const step = fc.record({
      what: fc.constantFrom('take', 'count', 'add', 'resetSeconds'),
      by: fc.integer({ min: 0, max: 2 }),
      key: fc.constantFrom(...KEYS),
      limit: fc.integer({ min: 1, max: 4 }),
      waitMs: fc.oneof(fc.constant(0), fc.integer({ min: -5_000, max: 70_000 })),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const clock = new TurnedClock();
        const model = new FixedWindows({ clock });
        const memory = windowsMemory(clock);
        const shared = [0, 1, 2].map(() => new SharedWindows({ clock, memory }));
        for (const { what, by, key, limit, waitMs } of steps) {
          clock.turn(waitMs / 1000);
          const ask = (windows: FixedWindows | SharedWindows) =>
            what === 'take' ? windows.take(key, limit) : windows[what](key);
          expect(ask(shared[by]!)).toEqual(ask(model));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('keeps tens of thousands of clients apart', () => {
    const clock = new TurnedClock();
    const windows = new SharedWindows({ clock, memory: windowsMemory(clock) });
    const keys = Array.from({ length: 20_000 }, (_, i) => `client ${i}`);
    for (const [i, key] of keys.entries()) {
      for (let n = 0; n <= i % 3; n++) windows.add(key);
    }
    expect(keys.filter((key, i) => windows.count(key) !== (i % 3) + 1)).toEqual([]);
  });

  it('forgets the oldest windows where there is no more room, and counts the newest on', () => {
    const clock = new TurnedClock();
    const windows = new SharedWindows({ clock, memory: windowsMemory(clock, 64) });
    for (let i = 0; i < 1_000; i++) {
      clock.turn(0.001);
      windows.add(`key ${i}`);
      windows.add(`key ${i}`);
      expect(windows.count(`key ${i}`)).toBe(2);
    }
    const left = Array.from({ length: 1_000 }, (_, i) => windows.count(`key ${i}`));
    expect(left.filter((count) => count > 0).length).toBeLessThanOrEqual(64);
    expect(left.slice(-8)).toEqual(Array(8).fill(2));
  });

  it('admits exactly 600 of 650 from four threads at once, again and again', async () => {
    for (let round = 0; round < 5; round++) {
      const memory = windowsMemory(systemClock);
      const gate = new Int32Array(new SharedArrayBuffer(4));
      const module = new URL('../../test/fixtures/take-thread.ts', import.meta.url);
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
      expect(new SharedWindows({ clock: systemClock, memory }).count('client')).toBe(600);
      await Promise.all(threads.map((thread) => thread.terminate()));
    }
  });

  it('limits failed log-ins as one, whichever thread they reach', () => {
    const clock = new TurnedClock();
    const memories = [windowsMemory(clock), windowsMemory(clock)];
    const limiters = [0, 1].map(() => {
      const [byClient, byAddress] = memories.map((memory) => new SharedWindows({ clock, memory }));
      return new GuessLimiter({ clock, windows: { byClient: byClient!, byAddress: byAddress! } });
    });
    const waits = Array.from({ length: 12 }, (_, i) => limiters[i % 2]!.fail('192.0.2.1', 'id'));
    expect(waits).toEqual([...Array(10).fill(undefined), 60, 60]);
  });
});

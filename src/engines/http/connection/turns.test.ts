import { describe, expect, it } from 'vitest';
import { Turns, type Waiting } from './turns.ts';

/** Blocks the thread for this time. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end) {}
}

/** Waits until the event loop has completed one round. */
const round = () => new Promise((resolve) => setImmediate(resolve));

describe('Turns', () => {
  it('gives one turn to each lane, in the order of arrival', async () => {
    const turns = new Turns();
    const order: string[] = [];
    const waiting = (name: string): Waiting => ({ takeTurn: () => order.push(name) });
    const [a, b, c] = [waiting('a'), waiting('b'), waiting('c')];
    for (const one of [a, b, a, c, b]) turns.lineUp('lane', one);
    turns.leave('lane', c);
    expect(order).toEqual([]);
    while (!turns.mayGoNow(performance.now())) await round();
    expect(order).toEqual(['a', 'b']);
  });

  it('serves a lane with one request fairly beside a lane with a thousand', async () => {
    const turns = new Turns();
    let crowdTurns = 0;
    for (let i = 0; i < 1000; i++) {
      const one: Waiting = {
        takeTurn: () => {
          crowdTurns++;
          work(0.05);
          turns.lineUp('crowd', one);
        },
      };
      turns.lineUp('crowd', one);
    }
    const seen: number[] = [];
    for (let i = 0; i < 20; i++) {
      const before = crowdTurns;
      await new Promise<void>((resolve) => turns.lineUp('single', { takeTurn: () => resolve() }));
      seen.push(crowdTurns - before);
    }
    // There are at most 64 turns in each round of the event loop.
    expect(Math.max(...seen)).toBeLessThanOrEqual(2 * 64);
  });

  it('does not block the event loop while there is always more work', async () => {
    const turns = new Turns();
    let isOver = false;
    let given = 0;
    const endless: Waiting = {
      takeTurn: () => {
        given++;
        if (!isOver) turns.lineUp('lane', endless);
      },
    };
    turns.lineUp('lane', endless);
    for (let i = 0; i < 10; i++) await round();
    isOver = true;
    expect(given).toBeGreaterThan(0);
    expect(given).toBeLessThanOrEqual(12 * 64);
  });

  it.each([
    [101, 1],
    [100, 0],
    [300, 200],
  ])('marks, of %i requests that waited for 200 ms, %i as late', async (count, expected) => {
    const turns = new Turns();
    let late = 0;
    const given = Promise.withResolvers<void>();
    let left = count;
    for (let i = 0; i < count; i++) {
      turns.lineUp(i, {
        takeTurn: (isLate) => {
          late += isLate ? 1 : 0;
          if (--left === 0) given.resolve();
        },
      });
    }
    work(210);
    await given.promise;
    expect(late).toBe(expected);
  });

  it('queues anonymous callers when they have used more than their share of the time', () => {
    const turns = new Turns();
    const nowMs = 1000;
    expect(turns.mayGoNow(nowMs)).toBe(true);
    turns.charge(3);
    expect(turns.mayGoNow(nowMs + 3)).toBe(true);
    turns.charge(3);
    expect(turns.mayGoNow(nowMs + 6)).toBe(false);
    expect(turns.mayGoNow(nowMs + 7)).toBe(false);
    expect(turns.mayGoNow(nowMs + 9)).toBe(true);
    turns.lineUp('lane', { takeTurn: () => {} });
    expect(turns.mayGoNow(nowMs + 100)).toBe(false);
  });
});

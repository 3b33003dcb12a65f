import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { inSlices } from './slices.ts';

/** Longer than a slice should take. */
const SLOW_MS = 15;

const database = { settle: async () => {} };

describe('slices', () => {
  it('have at most 2,000 rows, and end when there is nothing more', async () => {
    const sizes: number[] = [];
    await inSlices(database, async (rows) => {
      sizes.push(rows);
      return sizes.length < 30;
    });
    expect(sizes).toHaveLength(30);
    expect(sizes[0]).toBe(250);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2_000);
  });

  it('become smaller while they take long, but not tiny', async () => {
    const sizes: number[] = [];
    await inSlices(database, async (rows) => {
      sizes.push(rows);
      await sleep(SLOW_MS);
      return sizes.length < 5;
    });
    expect(sizes).toEqual([250, 125, 63, 50, 50]);
  });

  it('have as many rows as the caller wants at least', async () => {
    const sizes: number[] = [];
    const slice = async (rows: number) => {
      sizes.push(rows);
      await sleep(SLOW_MS);
      return sizes.length < 3;
    };
    await inSlices(database, slice, { least: 200 });
    expect(sizes).toEqual([250, 200, 200]);
  });

  it('end at the signal, and leave time to others after each', async () => {
    const ending = new AbortController();
    const calls: string[] = [];
    await inSlices(
      { settle: async () => void calls.push('between') },
      async () => {
        calls.push('slice');
        if (calls.length > 2) ending.abort();
        return true;
      },
      { signal: ending.signal },
    );
    expect(calls).toEqual(['slice', 'between', 'slice', 'between']);
    await inSlices(database, async () => expect.fail('a slice after the signal'), {
      signal: ending.signal,
    });
  });
});

import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { createOpenCountsMemory, OpenCounts } from './open-counts.ts';

describe('OpenCounts', () => {
  it('admits as many as allowed for each key, and again after they have left', () => {
    const counts = new OpenCounts();
    const enter = (key: string, times: number) =>
      Array.from({ length: times }, () => counts.enter(key, 3));
    expect(enter('a', 4)).toEqual([true, true, true, false]);
    expect(enter('b', 1)).toEqual([true]);
    counts.leave('a');
    expect(enter('a', 2)).toEqual([true, false]);
    for (let i = 0; i < 3; i++) counts.leave('a');
    expect(enter('a', 4)).toEqual([true, true, true, false]);
  });

  it('counts over all objects with the same memory', () => {
    const memory = createOpenCountsMemory();
    const [one, two] = [new OpenCounts(memory), new OpenCounts(memory)];
    expect([one.enter('a', 2), two.enter('a', 2), one.enter('a', 2)]).toEqual([true, true, false]);
    // Whoever closes it, it is closed for both.
    one.leave('a');
    expect(two.enter('a', 2)).toBe(true);
  });

  it('keeps the counts of many keys apart, and refuses when there is no room', () => {
    const counts = new OpenCounts();
    const keys = Array.from({ length: 10_000 }, (_, i) => `key ${i}`);
    for (const key of keys) expect(counts.enter(key, 1)).toBe(true);
    for (const key of keys) expect(counts.enter(key, 1)).toBe(false);
    for (const key of keys) counts.leave(key);
    for (const key of keys) expect(counts.enter(key, 1)).toBe(true);
    const more = Array.from({ length: 100_000 }, (_, i) => counts.enter(`more ${i}`, 1));
    expect(more).toContain(false);
    for (const key of keys) counts.leave(key);
    expect(counts.enter(keys[0]!, 1)).toBe(true);
  });

  it('is exact while threads enter and leave at the same time', async () => {
    const memory = createOpenCountsMemory();
    const module = new URL('./open-counts.ts', import.meta.url).href;
    const code = `
      const { workerData, parentPort } = require('node:worker_threads');
      import(${JSON.stringify(module)}).then(({ OpenCounts }) => {
        const counts = new OpenCounts(workerData);
        let entered = 0;
        for (let i = 0; i < 20_000; i++) {
          if (!counts.enter('a', 1_000_000)) continue;
          if (i % 10 === 0) entered++;
          else counts.leave('a');
        }
        parentPort.postMessage(entered);
      });`;
    const entered = await Promise.all(
      [1, 2].map(
        () =>
          new Promise<number>((resolve, reject) => {
            const worker = new Worker(code, { eval: true, workerData: memory });
            worker.once('message', resolve).once('error', reject);
          }),
      ),
    );
    expect(entered).toEqual([2_000, 2_000]);
    const counts = new OpenCounts(memory);
    expect(counts.enter('a', 4_000)).toBe(false);
    expect(counts.enter('a', 4_001)).toBe(true);
  });
});

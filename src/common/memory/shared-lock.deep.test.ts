import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { SharedLock } from './open-counts.ts';

/** Increments a number under the lock. Without the lock, concurrent increments would be lost. */
const ADDER = `
  import { workerData, parentPort } from 'node:worker_threads';
  const { SharedLock } = await import(workerData.module);
  const { words, times } = workerData;
  const lock = new SharedLock(words.subarray(0, 1));
  for (let i = 0; i < times; i++) {
    lock.hold(() => {
      const read = words[1];
      for (let spin = 0; spin < 20; spin++) Atomics.load(words, 2);
      words[1] = read + 1;
    });
  }
  parentPort.postMessage('done');
`;

it('lets only one thread hold the lock at a time', async () => {
  const words = new Int32Array(new SharedArrayBuffer(12));
  const module = new URL('./open-counts.ts', import.meta.url).href;
  const url = new URL(`data:text/javascript,${encodeURIComponent(ADDER)}`);
  const threads = [1, 2, 3, 4].map(
    () => new Worker(url, { workerData: { module, words, times: 50_000 } }),
  );
  await Promise.all(threads.map((thread) => once(thread, 'message')));
  expect(words[1]).toBe(200_000);
  expect(words[0]).toBe(0);
  await Promise.all(threads.map((thread) => thread.terminate()));
});

it('is released after work that throws', () => {
  const lock = new SharedLock(new Int32Array(new SharedArrayBuffer(4)));
  expect(() =>
    lock.hold(() => {
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(lock.hold(() => 7)).toBe(7);
});

it('throws if the thread that held it has ended', () => {
  const word = new Int32Array(new SharedArrayBuffer(4));
  word[0] = 1;
  expect(() => new SharedLock(word).hold(() => 7)).toThrow('ended while it held a lock');
});

import { expect, it } from 'vitest';
import { limited } from './limited.ts';

it('rejects work that has waited too long, and does not begin it', async () => {
  const run = limited(1, { ms: 1, tooLong: () => new Error('too long') });
  const gate = Promise.withResolvers<void>();
  const first = run(() => gate.promise);
  const begun: string[] = [];
  await expect(run(async () => begun.push('second'))).rejects.toThrow('too long');
  const third = run(async () => begun.push('third'));
  gate.resolve();
  await first;
  await third;
  expect(begun).toEqual(['third']);
});

it('rejects work at once while too much waits', async () => {
  const run = limited(1, { ms: 60_000, most: 1, tooLong: () => new Error('too much') });
  const gate = Promise.withResolvers<number>();
  const first = run(() => gate.promise);
  const second = run(async () => 2);
  await expect(run(async () => 3)).rejects.toThrow('too much');
  gate.resolve(1);
  expect(await Promise.all([first, second])).toEqual([1, 2]);
  expect(await run(async () => 4)).toBe(4);
});

it('runs as much work as allowed, in order, also after work that failed', async () => {
  const run = limited(2);
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const begun: number[] = [];
  const ended = gates.map(({ promise }, n) =>
    run(() => {
      begun.push(n);
      return promise;
    }),
  );
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await settle();
  expect(begun).toEqual([0, 1]);
  gates[1]!.resolve(10);
  expect(await ended[1]).toBe(10);
  await settle();
  expect(begun).toEqual([0, 1, 2]);
  gates[0]!.reject(new Error('no'));
  await expect(ended[0]).rejects.toThrow('no');
  await settle();
  expect(begun).toEqual([0, 1, 2, 3]);
  for (const n of [2, 3, 4]) gates[n]!.resolve(n);
  expect(await Promise.all(ended.slice(2))).toEqual([2, 3, 4]);
  expect(await run(async () => 7)).toBe(7);
});

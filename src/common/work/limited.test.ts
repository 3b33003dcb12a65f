import { expect, it } from 'vitest';
import { grouped, limited } from './limited.ts';

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

it('passes the calls of one turn together, and returns to each its own result', async () => {
  const groups: (readonly number[])[] = [];
  const double = grouped(async (group: readonly number[]) => {
    groups.push(group);
    return group.map((number) => number * 2);
  }, 3);
  expect(await Promise.all([1, 2, 3, 4].map(double))).toEqual([2, 4, 6, 8]);
  expect(await double(5)).toBe(10);
  expect(groups).toEqual([[1, 2, 3], [4], [5]]);
});

it('passes what arrives during the work with the next group', async () => {
  const groups: (readonly string[])[] = [];
  const release: (() => void)[] = [];
  const begun: (() => void)[] = [];
  const call = grouped(async (group: readonly string[]) => {
    groups.push(group);
    begun.shift()?.();
    await new Promise<void>((resolve) => release.push(resolve));
    return group;
  }, 10);
  const beginning = new Promise<void>((resolve) => begun.push(resolve));
  const first = call('a');
  await beginning;
  const others = Promise.all([call('b'), call('c')]);
  const next = new Promise<void>((resolve) => begun.push(resolve));
  release.shift()!();
  await next;
  release.shift()!();
  expect([await first, await others]).toEqual(['a', ['b', 'c']]);
  expect(groups).toEqual([['a'], ['b', 'c']]);
});

it('fails the calls of a group whose work fails, and continues with the next one', async () => {
  const call = grouped(async (group: readonly string[]) => {
    if (group.includes('bad')) throw new Error('bad');
    return group;
  }, 2);
  const results = await Promise.allSettled(['a', 'bad', 'b'].map(call));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});

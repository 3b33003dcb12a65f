import { expect, it } from 'vitest';
import { grouped } from './grouped.ts';

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

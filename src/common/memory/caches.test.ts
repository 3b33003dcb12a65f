import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BoundedMap, RecentKeys, SpareBuffers, type TakenBytes } from './caches.ts';

describe('RecentKeys', () => {
  it('returns whether a key was remembered before', () => {
    const keys = new RecentKeys(8);
    expect([1, 2, 1, 2, 3].map((key) => keys.remember(key))).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
    expect(['rain', 'moon', 'rain'].map((text) => keys.rememberText(text))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('forgets a key after two other keys of the same slot', () => {
    const keys = new RecentKeys(8);
    expect([1, 9, 17, 1].map((key) => keys.remember(key))).toEqual([false, false, false, false]);
  });

  it('remembers two alternating keys of one slot', () => {
    const keys = new RecentKeys(8);
    expect([1, 9, 1, 9, 1].map((key) => keys.remember(key))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
  });

  it('distinguishes the largest keys from the smallest', () => {
    const keys = new RecentKeys(8);
    expect([2 ** 32 - 1, 7, 2 ** 31 + 7, 2 ** 31 + 7].map((key) => keys.remember(key))).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it('forgets all keys after `clear`', () => {
    const keys = new RecentKeys(8);
    keys.rememberText('rain');
    keys.clear();
    expect(keys.rememberText('rain')).toBe(false);
  });
});

it('keeps at most so many entries', () => {
  const map = new BoundedMap<number, string>(2);
  map.set(1, 'one');
  map.set(2, 'two');
  expect([map.get(1), map.get(2)]).toEqual(['one', 'two']);
  map.set(3, 'three');
  expect([map.get(1), map.get(2), map.get(3)]).toEqual([undefined, undefined, 'three']);
  map.clear();
  expect(map.get(3)).toBeUndefined();
});

it('never gives out bytes that someone has', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ size: fc.integer({ min: 1, max: 99 }), released: fc.nat(3) })),
      (uses) => {
        const buffer = new SpareBuffers();
        const taken: { one: TakenBytes; mark: number }[] = [];
        for (const [mark, { size, released }] of uses.entries()) {
          const one = buffer.take(size);
          expect(one.bytes).toHaveLength(size);
          one.bytes.fill(mark % 256);
          taken.push({ one, mark });
          for (const { one, mark } of taken) {
            expect(one.bytes.every((byte) => byte === mark % 256)).toBe(true);
          }
          for (const { one } of taken.splice(0, released)) one.release();
        }
      },
    ),
  );
});

it('gives out the same memory again, also for less', () => {
  const buffers = new SpareBuffers();
  const [first, second] = [buffers.take(100), buffers.take(100)];
  for (const one of [first, second]) one.release();
  const memory = new Set([first, second].map(({ bytes }) => bytes.buffer));
  const again = [buffers.take(60), buffers.take(100), buffers.take(10)];
  expect(again.map(({ bytes }) => memory.delete(bytes.buffer))).toEqual([true, true, false]);
});

it('keeps eight buffers, and none that is very large or that was too small for the next user', () => {
  const buffers = new SpareBuffers();
  const memoryOf = (sizes: number[]) => {
    const taken = sizes.map((size) => buffers.take(size));
    for (const { release } of taken) release();
    return new Set(taken.map(({ bytes }) => bytes.buffer));
  };
  const inBoth = <Value>(one: Set<Value>, other: Set<Value>) =>
    [...one].filter((value) => other.has(value)).length;
  const before = memoryOf(Array(9).fill(100));
  const again = memoryOf(Array(9).fill(100));
  expect(inBoth(before, again)).toBe(8);
  const huge = memoryOf([1_000_000]);
  expect(inBoth(huge, memoryOf([1_000_000]))).toBe(0);
  const larger = memoryOf(Array(8).fill(20_000));
  expect(inBoth(larger, again)).toBe(0);
  expect(memoryOf(Array(8).fill(100))).toEqual(larger);
});

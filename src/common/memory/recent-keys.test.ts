import { describe, expect, it } from 'vitest';
import { RecentKeys } from './recent-keys.ts';

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

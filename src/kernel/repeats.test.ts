import { describe, expect, it } from 'vitest';
import { Repeats } from './repeats.ts';

describe('Repeats', () => {
  it('knows what came before', () => {
    const repeats = new Repeats(8);
    expect([1, 2, 1, 2, 3].map((key) => repeats.has(key))).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
    expect(['rain', 'moon', 'rain'].map((text) => repeats.hasText(text))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('forgets a key for another that has its place', () => {
    const repeats = new Repeats(8);
    expect([1, 9, 1].map((key) => repeats.has(key))).toEqual([false, false, false]);
  });

  it('tells the largest keys apart from the smallest', () => {
    const repeats = new Repeats(8);
    expect([2 ** 32 - 1, 7, 2 ** 32 - 1].map((key) => repeats.has(key))).toEqual([
      false,
      false,
      false,
    ]);
    expect(repeats.has(2 ** 32 - 1)).toBe(true);
  });

  it('forgets everything', () => {
    const repeats = new Repeats(8);
    repeats.hasText('rain');
    repeats.clear();
    expect(repeats.hasText('rain')).toBe(false);
  });
});

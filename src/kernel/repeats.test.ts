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

  it('forgets a key for two others that have its place', () => {
    const repeats = new Repeats(8);
    expect([1, 9, 17, 1].map((key) => repeats.has(key))).toEqual([false, false, false, false]);
  });

  it('knows two that share a place and come by turns', () => {
    const repeats = new Repeats(8);
    expect([1, 9, 1, 9, 1].map((key) => repeats.has(key))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
  });

  it('tells the largest keys apart from the smallest', () => {
    const repeats = new Repeats(8);
    expect([2 ** 32 - 1, 7, 2 ** 31 + 7, 2 ** 31 + 7].map((key) => repeats.has(key))).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it('forgets everything', () => {
    const repeats = new Repeats(8);
    repeats.hasText('rain');
    repeats.clear();
    expect(repeats.hasText('rain')).toBe(false);
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_PIXELS, ScrollMap } from './scroll-map.ts';

const ROW = 56;
const VIEWPORT = 700;

describe('a list that is not higher than an element may be', () => {
  it('is scrolled pixel by pixel', () => {
    const map = new ScrollMap(100_000 * ROW);
    expect([map.pixels, map.isCompressed]).toEqual([100_000 * ROW, false]);
    expect(map.toList(12_345, VIEWPORT)).toBe(12_345);
    expect(map.toList(Infinity, VIEWPORT)).toBe(100_000 * ROW - VIEWPORT);
  });
});

describe('a list of a million tracks', () => {
  const full = 1_000_000 * ROW;
  const map = new ScrollMap(full);

  it('fits into an element, with both ends exact', () => {
    expect([map.pixels, map.isCompressed]).toEqual([MAX_PIXELS, true]);
    expect(map.toList(0, VIEWPORT)).toBe(0);
    expect(map.toList(999_999, VIEWPORT)).toBe(999_999);
    expect(map.toList(MAX_PIXELS - VIEWPORT, VIEWPORT)).toBe(full - VIEWPORT);
    expect(map.toList(MAX_PIXELS - VIEWPORT - 10, VIEWPORT)).toBe(full - VIEWPORT - 10);
  });

  it('reaches every row, and finds the scroll position of each', () => {
    const positions = fc.integer({ min: 0, max: full - VIEWPORT });
    fc.assert(
      fc.property(positions, positions, (a, b) => {
        expect(map.toList(map.toScroll(a, VIEWPORT), VIEWPORT)).toBeCloseTo(a, 3);
        if (a < b) expect(map.toScroll(a, VIEWPORT)).toBeLessThan(map.toScroll(b, VIEWPORT));
      }),
    );
  });
});

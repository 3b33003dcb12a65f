import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runSteps, sortedInSteps } from './steps.ts';

describe('sortedInSteps', () => {
  it('sorts like Array.sort, which is stable, at lengths around the size of a step', () => {
    const lengths = fc.constantFrom(0, 1, 2, 4_095, 4_096, 4_097, 8_193, 20_000, 24_577);
    fc.assert(
      fc.property(lengths, fc.integer(), fc.integer({ min: 1, max: 500 }), (length, seed, keys) => {
        const keyOf = (item: number) => Math.abs(Math.imul(item + 1, seed | 1)) % keys;
        const compare = (a: number, b: number) => keyOf(a) - keyOf(b);
        const items = Uint32Array.from({ length }, (_, i) => i);
        const expected = Array.from(items).sort(compare);
        runSteps(sortedInSteps(items, compare));
        expect(Array.from(items)).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });
});

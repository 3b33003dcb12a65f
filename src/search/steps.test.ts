import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completed, sortedInSteps } from './steps.ts';

describe('sortedInSteps', () => {
  it('sorts as the language does, stable, at lengths around its steps', () => {
    const lengths = fc.constantFrom(0, 1, 2, 8_191, 8_192, 8_193, 20_000, 24_577);
    fc.assert(
      fc.property(lengths, fc.integer(), fc.integer({ min: 1, max: 500 }), (length, seed, keys) => {
        const items = Array.from({ length }, (_, at) => ({
          key: Math.abs(Math.imul(at + 1, seed | 1)) % keys,
          at,
        }));
        const compare = (a: { key: number }, b: { key: number }) => a.key - b.key;
        expect(completed(sortedInSteps(items, compare))).toEqual([...items].sort(compare));
      }),
      { numRuns: 30 },
    );
  });
});

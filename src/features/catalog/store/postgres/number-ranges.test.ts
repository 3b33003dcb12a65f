import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumberRanges } from './delivery-memory.ts';

describe('NumberRanges', () => {
  it('contains the added numbers, in as few ranges as possible', () => {
    const ranges = new NumberRanges();
    expect(String(ranges)).toBe('{}');
    for (const numbers of [[1, 2, 3], [], [4], [9, 10]]) ranges.add(numbers);
    expect(String(ranges)).toBe('{[1,4],[9,10]}');
  });

  it('contains the same numbers as a Set', () => {
    const slices = fc.array(fc.record({ gap: fc.nat(3), size: fc.nat(5) }), { maxLength: 20 });
    fc.assert(
      fc.property(slices, (some) => {
        const ranges = new NumberRanges();
        const all = new Set<number>();
        let next = 1;
        for (const { gap, size } of some) {
          next += gap;
          const numbers = Array.from({ length: size }, () => next++);
          ranges.add(numbers);
          for (const number of numbers) all.add(number);
        }
        for (let number = 0; number <= next; number++) {
          expect(ranges.has(number)).toBe(all.has(number));
        }
      }),
    );
  });
});

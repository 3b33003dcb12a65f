import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runSteps, sortByKeys, sortedInSteps } from './steps.ts';

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

const SIZES = fc.constantFrom(0, 1, 2, 100, 4_097, 70_000);
/** Keys that differ in all bits, in few bits, or not at all. */
const MASKS = fc.constantFrom(0, 1, 0x7ff, 0x800, 0x3f_f800, 0xffc0_0000, 0xffff_ffff);

it('sortByKeys sorts like Array.sort by all keys, then by the comparison, and keeps the order of ties', () => {
  fc.assert(
    fc.property(
      SIZES,
      fc.array(fc.tuple(MASKS, fc.integer()), { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      (size, parts, isCompared) => {
        const keyOf = (item: number, key: number) => {
          const [mask, seed] = parts[key]!;
          return (Math.imul(item ^ seed, 0x9e37_79b1) & mask) >>> 0;
        };
        const words = Uint32Array.from({ length: size * parts.length }, (_, i) =>
          keyOf(Math.floor(i / parts.length), i % parts.length),
        );
        const keys = parts.map((_, offset) => ({ words, stride: parts.length, offset }));
        const rest = isCompared ? (a: number, b: number) => (a % 7) - (b % 7) : () => 0;
        const compare = (a: number, b: number) => {
          const key = parts.findIndex((_, i) => keyOf(a, i) !== keyOf(b, i));
          return key < 0 ? rest(a, b) : keyOf(a, key) - keyOf(b, key);
        };
        const items = Uint32Array.from({ length: size }, (_, i) => size - 1 - i);
        const expected = Array.from(items).sort(compare);
        runSteps(sortByKeys(items, keys, isCompared ? rest : undefined));
        expect(Array.from(items)).toEqual(expected);
      },
    ),
    { numRuns: 40 },
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addBit,
  type Bits,
  countBetween,
  countBits,
  emptyBits,
  fullBits,
  hasBit,
  intersect,
  isEmpty,
  removeBit,
  subtract,
  visitBits,
} from './bits.ts';

const SIZE = 130;
const members = fc.uniqueArray(fc.nat(SIZE - 1));
const bound = fc.nat(SIZE);

function bitsOf(ordinals: readonly number[]): Bits {
  const bits = emptyBits(SIZE);
  for (const ordinal of ordinals) {
    addBit(bits, ordinal);
  }
  return bits;
}

function ordinalsOf(bits: Bits, from = 0, to = SIZE, skip = 0, limit = SIZE): number[] {
  const ordinals: number[] = [];
  visitBits(bits, from, to, skip, (ordinal) => ordinals.push(ordinal) >= limit);
  return ordinals;
}

const sorted = (ordinals: readonly number[]) => [...ordinals].sort((a, b) => a - b);

describe('bits', () => {
  it('hold what was added, less what was removed, and know how much that is', () => {
    fc.assert(
      fc.property(members, members, (added, removed) => {
        const bits = bitsOf(added);
        for (const ordinal of removed) {
          removeBit(bits, ordinal);
        }
        const left = sorted(added.filter((ordinal) => !removed.includes(ordinal)));
        expect(ordinalsOf(bits)).toEqual(left);
        expect(countBits(bits)).toBe(left.length);
        expect(isEmpty(bits)).toBe(left.length === 0);
        expect(added.every((ordinal) => hasBit(bits, ordinal) === left.includes(ordinal))).toBe(
          true,
        );
      }),
    );
  });

  it('meet and part as sets do', () => {
    fc.assert(
      fc.property(members, members, (one, other) => {
        const [both, rest] = [bitsOf(one), bitsOf(one)];
        intersect(both, bitsOf(other));
        subtract(rest, bitsOf(other));
        expect(ordinalsOf(both)).toEqual(sorted(one.filter((ordinal) => other.includes(ordinal))));
        expect(ordinalsOf(rest)).toEqual(sorted(one.filter((ordinal) => !other.includes(ordinal))));
      }),
    );
  });

  it('count and visit any stretch, from any place in it, as far as asked', () => {
    fc.assert(
      fc.property(members, bound, bound, bound, fc.integer({ min: 1, max: SIZE }), (all, ...at) => {
        const [from, to, skip, limit] = at;
        const inside = sorted(all.filter((ordinal) => ordinal >= from && ordinal < to));
        expect(countBetween(bitsOf(all), from, to)).toBe(inside.length);
        expect(ordinalsOf(bitsOf(all), from, to, skip, limit)).toEqual(
          inside.slice(skip, skip + limit),
        );
      }),
      { numRuns: 500 },
    );
  });

  it.each([0, 1, 31, 32, 33, 64, 130])('are full with %d ordinals and none beyond', (size) => {
    expect(countBits(fullBits(size))).toBe(size);
    expect(ordinalsOf(fullBits(size), 0, size)).toEqual(Array.from({ length: size }, (_, i) => i));
  });
});

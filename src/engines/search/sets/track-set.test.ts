import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BitSpace, newBitMemory } from './bit-kernel.ts';
import { TrackSet } from './track-set.ts';

const SIZE = 20_000;

const spaces = {
  'with the bit kernel': () => new BitSpace(SIZE, { memory: newBitMemory() }),
  'without the bit kernel': () => new BitSpace(SIZE, {}),
};

/** A few members or many, because the two kinds of sets are iterated differently. */
const members = fc.oneof(
  fc.uniqueArray(fc.nat(SIZE - 1), { maxLength: 4 }),
  fc.integer({ min: 1, max: 50 }).map((step) => multiplesOf(step)),
);

it.each(Object.entries(spaces))('keeps the members of up to three bitsets, %s', (_, spaceOf) => {
  fc.assert(
    fc.property(members, fc.array(members, { minLength: 1, maxLength: 3 }), (held, kept) => {
      const space = spaceOf();
      const set = new TrackSet(space.take(), space.kernel);
      set.addAll(Uint32Array.from(held));
      const [one, ...others] = kept.map((ordinals) => {
        const bits = space.take();
        for (const ordinal of ordinals) bits[ordinal >>> 5]! |= 1 << (ordinal & 31);
        return bits;
      });
      set.keep(one!, others[0], others[1]);
      const any = new Set(kept.flat());
      const right = held.filter((ordinal) => any.has(ordinal)).sort((a, b) => a - b);
      expect(membersOf(set)).toEqual(right);
      expect(set.count).toBe(right.length);
    }),
    { numRuns: 50 },
  );
});

function multiplesOf(step: number): number[] {
  return Array.from({ length: Math.floor(SIZE / step) }, (_, i) => i * step);
}

function membersOf(set: TrackSet): number[] {
  const found: number[] = [];
  set.each((ordinal) => found.push(ordinal));
  return found;
}

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BitSpace, newBitMemory } from './bit-kernel.ts';
import { eachFrom, SETS_ADDED } from './scores.ts';

const SIZE = 2_000;

const spaces = {
  'with the bit kernel': () => new BitSpace(SIZE, { memory: newBitMemory() }),
  'without the bit kernel': () => new BitSpace(SIZE, {}),
};

/** Members: those of some steps, and single ones. */
const members = fc
  .tuple(
    fc.integer({ min: 1, max: 300 }),
    fc.nat(SIZE),
    fc.array(fc.nat(SIZE - 1), { maxLength: 5 }),
  )
  .map(([step, from, others]) => {
    const all = new Set(others);
    for (let ordinal = from; ordinal < SIZE; ordinal += step) all.add(ordinal);
    return all;
  });

const added = fc.array(fc.tuple(members, fc.integer({ min: 1, max: 2 ** 14 })), {
  minLength: 1,
  maxLength: SETS_ADDED - 1,
});

it.each(Object.entries(spaces))('adds points, and finds the best tracks, %s', (_, spaceOf) => {
  fc.assert(
    fc.property(
      fc.array(added, { minLength: 1, maxLength: 3 }),
      fc.option(members),
      fc.integer({ min: 1, max: 2 ** 16 - 1 }),
      (batches, admitted, least) => {
        const space = spaceOf();
        const bitsOf = (ordinals: Iterable<number>) => {
          const bits = space.take();
          for (const ordinal of ordinals) bits[ordinal >>> 5]! |= 1 << (ordinal & 31);
          return bits;
        };
        const { scores, kernel } = space;
        const right = new Uint16Array(SIZE);
        for (const batch of batches) {
          const sets = batch.map(([ordinals]) => bitsOf(ordinals));
          kernel.addPoints(
            scores,
            sets,
            batch.map(([, points]) => points),
          );
          for (const [ordinals, points] of batch) {
            for (const ordinal of ordinals) right[ordinal]! += points;
          }
        }
        const all = admitted ?? new Set(right.keys());
        const to = space.take();
        const count = kernel.keepScores(scores, bitsOf(all), to);
        for (const ordinal of right.keys()) if (!all.has(ordinal)) right[ordinal] = 0;
        expect(scores.scores.subarray(0, SIZE)).toEqual(right);
        const found = [...right.keys()].filter((ordinal) => right[ordinal]! > 1);
        expect(to).toEqual(bitsOf(found));
        expect(count).toBe(found.length);
        const best: number[] = [];
        eachFrom(scores, least, (ordinal) => best.push(ordinal) < 0);
        expect(best).toEqual([...right.keys()].filter((ordinal) => right[ordinal]! >= least));
      },
    ),
    { numRuns: 100 },
  );
});

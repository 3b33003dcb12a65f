import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from './seeded-random.ts';

describe('seededRandom', () => {
  it('returns equal numbers for equal seeds, and other numbers for other seeds', () => {
    const draw = (seed: string) => {
      const random = seededRandom(seed);
      return Array.from({ length: 20 }, () => random.next());
    };
    expect(draw('a')).toEqual(draw('a'));
    expect(draw('a')).not.toEqual(draw('b'));
  });

  it('draws every value of its range, and no other', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer(), fc.nat({ max: 9 }), (seed, low, span) => {
        const random = seededRandom(seed);
        const drawn = Array.from({ length: 400 }, () => random.integer(low, low + span));
        expect(new Set(drawn).size).toBe(span + 1);
        expect(Math.min(...drawn)).toBe(low);
        expect(Math.max(...drawn)).toBe(low + span);
        const real = random.between(2, 3);
        expect(real >= 2 && real < 3).toBe(true);
        expect(['x', 'y']).toContain(random.pick(['x', 'y']));
      }),
    );
  });
});

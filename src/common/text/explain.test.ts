import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearest } from './explain.ts';

/** The Levenshtein distance by its definition. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, substitution));
    }
    row = next;
  }
  return row[b.length]!;
}

describe('nearest', () => {
  it.each([
    ['filterSlug', 'filterSlugs'],
    ['FILTERSLUGS', 'filterSlugs'],
    ['pagesise', 'pageSize'],
    ['q', undefined],
    ['limit', undefined],
    ['', undefined],
  ])('finds for %j the known name %j', (word, expected) => {
    expect(nearest(word, ['filterSlugs', 'filterIds', 'pageSize', 'search'])).toBe(expected);
  });

  it('returns the first of the nearest words, if it differs in at most a third of the letters', () => {
    const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 12 });
    fc.assert(
      fc.property(words, fc.array(words, { maxLength: 8 }), (word, known) => {
        const distances = known.map((candidate) => distance(word, candidate));
        const lowest = Math.min(...distances);
        const isNear = lowest <= Math.max(2, Math.ceil(word.length / 3));
        expect(nearest(word, known)).toBe(isNear ? known[distances.indexOf(lowest)] : undefined);
      }),
    );
  });

  it('does not compare a word that is much longer than every known word', () => {
    // A comparison with all of them would take ten billion steps.
    const known = Array.from({ length: 1000 }, (_, i) => `member${i}`);
    expect(nearest('x'.repeat(1_000_000), known)).toBeUndefined();
  });
});

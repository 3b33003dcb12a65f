import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fittedTable } from './fitted-table.ts';
import { width } from './table.ts';

it('shortens the widest cells, until the table fits a terminal', () => {
  const row = ['a'.repeat(20), 'b'.repeat(60), 'c'.repeat(30)];
  const [, line] = fittedTable(['ONE', 'TWO', 'THREE'], [row], ['TWO', 'THREE']).split('\n');
  expect(line).toHaveLength(80);
  expect(line).toMatch(/^a{20} {2}b{27}… {2}c{27}…$/);
});

it('leaves what fits, and columns that must be whole', () => {
  expect(fittedTable(['A', 'B'], [['x', 'y']], ['A', 'B'])).toBe('A  B\nx  y');
  const whole = 'x'.repeat(100);
  expect(fittedTable(['A', 'B'], [['long enough', whole]], ['A'])).toContain(whole);
});

it('fits any text, also wide letters and control characters', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string())), (rows) => {
      for (const line of fittedTable(['ONE', 'TWO'], rows, ['ONE', 'TWO']).split('\n')) {
        expect(width(line)).toBeLessThanOrEqual(80);
      }
    }),
  );
});

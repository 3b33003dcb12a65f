import { expect, it } from 'vitest';
import { endOfTerm, monthsOf } from './rate-card.ts';

it.each([
  ['2027-01-31T10:00:00.000Z', 'P1M', '2027-02-28T10:00:00.000Z'],
  ['2028-01-31T10:00:00.000Z', 'P1M', '2028-02-29T10:00:00.000Z'],
  ['2028-02-29T23:59:59.999Z', 'P1Y', '2029-02-28T23:59:59.999Z'],
  ['2028-02-29T00:00:00.000Z', 'P4Y', '2032-02-29T00:00:00.000Z'],
  ['2026-12-01T00:00:00.000Z', 'P1M', '2027-01-01T00:00:00.000Z'],
  ['2026-10-31T00:00:00.000Z', 'P18M', '2028-04-30T00:00:00.000Z'],
  ['2026-11-25T13:57:35.931Z', 'P100Y', '2126-11-25T13:57:35.931Z'],
])('%s and %s end at %s', (start, term, end) => {
  expect(new Date(endOfTerm(Date.parse(start), term)!).toISOString()).toBe(end);
});

it('has a term without an end', () => {
  expect(endOfTerm(0, 'PERPETUAL')).toBeNull();
});

it.each(['P0M', 'P01M', 'P1D', 'P1M2', 'p1m', 'P1201M', 'P101Y', '', 'P1'])(
  '"%s" is no term',
  (term) => {
    expect(monthsOf(term)).toBeUndefined();
    expect(() => endOfTerm(0, term)).toThrow(RangeError);
  },
);

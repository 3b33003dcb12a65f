import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { LENGTHS, placeOf, TEMPOS, valueAt } from './scale.ts';

it('leads from each stop to its value and back', () => {
  const end = fc.constantFrom('from' as const, 'to' as const);
  fc.assert(
    fc.property(fc.constantFrom(TEMPOS, LENGTHS), end, fc.nat(), (scale, side, any) => {
      const place = any % scale.length;
      expect(placeOf(scale, side, valueAt(scale, side, place))).toBe(place);
    }),
  );
});

it.each([
  [TEMPOS, 'from', undefined, 40],
  [TEMPOS, 'to', undefined, 220],
  [TEMPOS, 'from', 10, 40],
  [TEMPOS, 'to', 999, 220],
  [TEMPOS, 'to', 90.4, 90],
  [LENGTHS, 'from', 62, 60],
  [LENGTHS, 'to', 63, 65],
  [LENGTHS, 'to', 86_400, 1800],
] as const)('stops nearest to a value: %#', (scale, end, value, stop) => {
  expect(scale[placeOf(scale, end, value)]).toBe(stop);
});

it('rises', () => {
  for (const scale of [TEMPOS, LENGTHS]) {
    expect(scale).toEqual([...new Set(scale)].sort((a, b) => a - b));
  }
});

import { expect, it } from 'vitest';
import { minorUnitOf } from './currencies.ts';

it.each([
  ['EUR', 2],
  ['JPY', 0],
  ['KRW', 0],
  ['HUF', 2],
  ['MGA', 2],
  ['IQD', 3],
  ['KWD', 3],
  ['CLF', 4],
])('%s has %s decimals', (code, minorUnit) => {
  expect(minorUnitOf(code)).toBe(minorUnit);
});

it.each(['eur', 'XAU', 'XTS', 'XXX', 'DEM', '', 'EURO'])('"%s" is no currency', (code) => {
  expect(minorUnitOf(code)).toBeUndefined();
});

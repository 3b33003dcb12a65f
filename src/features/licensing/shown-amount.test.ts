import { expect, it } from 'vitest';
import type { LicenseTerms } from './issued-license.ts';
import { decimalsOf, shownAmount } from './issued-license.ts';

it.each([
  [{ minorUnit: 3 }, 'EUR', 3],
  [{ minorUnit: 0 }, 'EUR', 0],
  [{}, 'KWD', 3],
  [{}, 'XTS', 2],
])(
  'the price of a license with the terms %j in %s has %i decimals',
  (terms, currency, decimals) => {
    expect(decimalsOf({ terms: terms as LicenseTerms, currency })).toBe(decimals);
  },
);

it.each([
  [18_000, 2, '180.00'],
  [5, 2, '0.05'],
  [5, 0, '5'],
  [1_234_567, 3, '1234.567'],
])('%i minor units with %i decimals are %s', (amount, minorUnit, shown) => {
  expect(shownAmount(amount, minorUnit)).toBe(shown);
});

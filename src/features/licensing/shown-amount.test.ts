import { expect, it } from 'vitest';
import { shownAmount } from './issued-license.ts';

it.each([
  [18_000, 2, '180.00'],
  [5, 2, '0.05'],
  [5, 0, '5'],
  [1_234_567, 3, '1234.567'],
])('%i minor units with %i decimals are %s', (amount, minorUnit, shown) => {
  expect(shownAmount(amount, minorUnit)).toBe(shown);
});

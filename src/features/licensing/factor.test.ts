import { expect, it } from 'vitest';
import { factorText, parseFactor, timesRounded } from './price.ts';

it.each([
  ['0', 0n, '0'],
  ['1', 10_000n, '1'],
  ['0.0001', 1n, '0.0001'],
  ['1.50', 15_000n, '1.5'],
  ['999999.9999', 9_999_999_999n, '999999.9999'],
])('%s is %s ten-thousandths', (text, factor, shown) => {
  expect(parseFactor(text)).toBe(factor);
  expect(factorText(factor)).toBe(shown);
});

it.each(['', '.5', '1.', '01', '1.00001', '-1', '+1', '1e3', ' 1', '1,5', '1000000', 'NaN'])(
  'refuses "%s"',
  (text) => {
    expect(parseFactor(text)).toBeUndefined();
  },
);

it('rounds half up, once', () => {
  expect(timesRounded(1n, [5_000n])).toBe(1n);
  expect(timesRounded(1n, [4_999n])).toBe(0n);
  // Rounding after each factor would make 2.
  expect(timesRounded(1n, [15_000n, 9_000n])).toBe(1n);
  expect(timesRounded(7n, [])).toBe(7n);
});

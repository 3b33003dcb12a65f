import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalText } from './texts.ts';

describe('decimalText', () => {
  it.each<[string, ',' | '.', string]>([
    ['92,5', ',', '92.5'],
    ['1.234,5', ',', '1234.5'],
    ['1 234 567,25', ',', '1234567.25'],
    ['1\u00a0234,5', ',', '1234.5'],
    ["1'234.5", '.', '1234.5'],
    ['1,234.5', '.', '1234.5'],
    ['-3,5', ',', '-3.5'],
    [',5', ',', '0.5'],
    ['-,5', ',', '-0.5'],
    ['120', ',', '120'],
    ['1.234', ',', '1234'],
    ['1.234', '.', '1.234'],
    [' 7,0 ', ',', '7.0'],
  ])('reads %j with the sign %j as %s', (text, sign, number) => {
    expect(decimalText(text, sign)).toBe(number);
  });

  it.each<[string, ',' | '.']>([
    ['', ','],
    ['-', ','],
    ['1,2,3', ','],
    ['1.23,5', ','],
    ['12.34', ','],
    ['1.234 567', ','],
    ['1,234,56', '.'],
    ['3,', ','],
    ['abc', ','],
    ['1,5 BPM', ','],
  ])('does not read %j with the sign %j', (text, sign) => {
    expect(decimalText(text, sign)).toBeUndefined();
  });

  it('reads any number as it was written', () => {
    const signs = fc.constantFrom<[',' | '.', string]>(
      [',', '.'],
      [',', ' '],
      [',', ''],
      ['.', ','],
      ['.', "'"],
    );
    fc.assert(
      fc.property(
        fc.integer({ min: -999_999_999, max: 999_999_999 }),
        fc.option(
          fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 9 }),
        ),
        signs,
        (whole, decimals, [sign, group]) => {
          const grouped = String(whole).replace(/\B(?=(\d{3})+$)/g, group);
          const written = decimals === null ? grouped : `${grouped}${sign}${decimals}`;
          const expected = decimals === null ? `${whole}` : `${whole}.${decimals}`;
          expect(decimalText(written, sign)).toBe(expected);
        },
      ),
    );
  });
});

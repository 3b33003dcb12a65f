import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateReader } from './release-date.ts';

describe('the serial dates of spreadsheets', () => {
  const read = (form: string, text: string) => {
    const at = dateReader(form)(text);
    return at === undefined ? undefined : new Date(at).toISOString();
  };

  it.each([
    ['excel', '40757', '2011-08-02T00:00:00.000Z'],
    ['excel', '40757.5', '2011-08-02T12:00:00.000Z'],
    ['excel', '40757,75', '2011-08-02T18:00:00.000Z'],
    ['excel', '61', '1900-03-01T00:00:00.000Z'],
    ['excel', '2958465', '9999-12-31T00:00:00.000Z'],
    ['excel-1904', '39295', '2011-08-02T00:00:00.000Z'],
  ])('by %s, reads %s as %s', (form, text, date) => {
    expect(read(form, text)).toBe(date);
  });

  it.each(['0', '60', '-1', '2958466', '99999999', '2011-08-02', '', '4e4', '40757.'])(
    'does not read %j',
    (text) => {
      expect(read('excel', text)).toBeUndefined();
    },
  );

  it('reads each day as the one after the day before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 61, max: 2_958_464 }), (day) => {
        const at = dateReader('excel');
        expect(at(`${day + 1}`)! - at(`${day}`)!).toBe(86_400_000);
      }),
    );
  });
});

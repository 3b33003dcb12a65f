import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldProblem } from '../../../common/errors.ts';
import { dateOrTime, firstMoment, lastMoment } from '../schemas.ts';
import { compileCheck } from './schema/schema-check.ts';

const check = compileCheck(dateOrTime());
function problemOf(value: unknown): string | undefined {
  const problems: FieldProblem[] = [];
  check(value, 'from', problems);
  return problems[0]?.message;
}

describe('dateOrTime', () => {
  it.each([
    '2024-01-31',
    '2024-02-29',
    '0000-01-01',
    '9999-12-31',
    '2024-01-31T00:00:00Z',
    '2024-01-31T23:59:59.9Z',
    '2024-01-31T23:59:59.999Z',
  ])('accepts %s', (text) => {
    expect(problemOf(text)).toBeUndefined();
    expect(firstMoment(text)).not.toBeNaN();
  });

  it.each([
    '',
    '2024',
    '2024-01',
    '2024-1-31',
    '2024-02-30',
    '2023-02-29',
    '1900-02-29',
    '2024-04-31',
    '2024-13-01',
    '2024-00-10',
    '2024-01-00',
    '20240131',
    '+012024-01-31',
    '-2024-01-31',
    ' 2024-01-31',
    '2024-01-31\n',
    '٢٠٢٤-٠١-٣١',
    '2024-01-31T12:00:00',
    '2024-01-31T12:00Z',
    '2024-01-31 12:00:00Z',
    '2024-01-31t12:00:00z',
    '2024-01-31T12:00:00+00:00',
    '2024-01-31T12:00:00.Z',
    '2024-01-31T12:00:00.1234Z',
    '2024-01-31T12:00:00Z[UTC]',
    '2024-01-31T24:00:00Z',
    '2024-01-31T12:60:00Z',
    '2016-12-31T23:59:60Z',
    '2024-02-30T12:00:00Z',
    '2024-01-31\0',
  ])('refuses %j', (text) => {
    expect(problemOf(text)).toMatch(/^from must /);
  });

  it('names both forms in its message', () => {
    expect(problemOf('yesterday')).toBe(
      'from must be a date such as 2024-01-31 or a time in UTC such as 2024-01-31T12:00:00.000Z',
    );
    expect(problemOf(2024)).toBe(problemOf('yesterday'));
    expect(problemOf(null)).toBe('from must not be null; leave it out');
  });

  it('means the whole day for a date, and one moment for a time', () => {
    const days = fc.date({
      min: new Date('0000-01-01T00:00:00.000Z'),
      max: new Date('9999-12-30T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(days, (moment) => {
        const time = moment.toISOString();
        const day = time.slice(0, 10);
        expect(problemOf(time)).toBeUndefined();
        expect(problemOf(day)).toBeUndefined();
        expect([firstMoment(time), lastMoment(time)]).toEqual([+moment, +moment]);
        expect(firstMoment(day)).toBeLessThanOrEqual(+moment);
        expect(lastMoment(day)).toBeGreaterThanOrEqual(+moment);
        const next = new Date(lastMoment(day) + 1).toISOString();
        expect(next).toMatch(/T00:00:00\.000Z$/);
        expect(firstMoment(next.slice(0, 10)) - firstMoment(day)).toBe(86_400_000);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTime } from './rfc3339.ts';

const iso = (text: string) => {
  const ms = parseTime(text);
  return ms === undefined ? undefined : new Date(ms).toISOString();
};

describe('parseTime', () => {
  it.each([
    ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.000Z'],
    ['2026-11-21t10:00:00z', '2026-11-21T10:00:00.000Z'],
    ['2026-11-21T10:00:00.1Z', '2026-11-21T10:00:00.100Z'],
    ['2026-11-21T10:00:00.123999999Z', '2026-11-21T10:00:00.123Z'],
    ['2026-11-21T10:00:00+01:00', '2026-11-21T09:00:00.000Z'],
    ['2026-11-21T23:30:00-05:30', '2026-11-22T05:00:00.000Z'],
    ['2026-11-21T10:00:00-00:00', '2026-11-21T10:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['0000-02-29T00:00:00Z', '0000-02-29T00:00:00.000Z'],
    ['0099-12-31T00:00:00Z', '0099-12-31T00:00:00.000Z'],
  ])('reads %s', (text, expected) => {
    expect(iso(text)).toBe(expected);
  });

  it.each([
    '2026-11-21',
    'yesterday',
    '',
    '2026-11-21T10:00:00',
    '2026-11-21 10:00:00Z',
    '2026-11-21T10:00:00 01:00',
    '2026-11-21T10:00Z',
    '2026-11-21T10:00:60Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T10:60:00Z',
    '2026-02-29T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-00-01T10:00:00Z',
    '2026-01-00T10:00:00Z',
    '2026-11-21T10:00:00.Z',
    '2026-11-21T10:00:00+24:00',
    '2026-11-21T10:00:00+0100',
    ' 2026-11-21T10:00:00Z',
    '2026-11-21T10:00:00Z\n',
  ])('refuses %j', (text) => {
    expect(parseTime(text)).toBeUndefined();
  });

  it('reads what Date writes', () => {
    const date = fc.date({
      min: new Date('0000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(fc.property(date, (at) => parseTime(at.toISOString()) === at.getTime()));
  });
});

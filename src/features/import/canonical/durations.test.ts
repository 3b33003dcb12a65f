import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDuration } from './values.ts';

describe('parseDuration', () => {
  it.each([
    ['3:04', 184],
    [' 03:04 ', 184],
    ['1:02:03', 3723],
    ['0:30.5', 30.5],
    ['0:30,25', 30.25],
    ['90:00', 5400],
    [`3'04"`, 184],
    ['3′04″', 184],
    ['3’ 04”', 184],
    [`3'04''`, 184],
    [`3'`, 180],
    ['45"', 45],
    ['3m 4s', 184],
    ['1 h 2 min', 3720],
    ['184 sec', 184],
    ['PT3M4S', 184],
    ['pt1h2m3.5s', 3723.5],
    ['P1DT2H', 93_600],
    ['PT184S', 184],
    ['PT0S', 0],
  ])('reads %j as %d seconds', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each([
    '',
    '184',
    '3:75',
    '1:60:00',
    '1:2:3:4',
    '-3:04',
    '3:4:',
    ':30',
    `'`,
    `"`,
    `3"04'`,
    'm',
    '3 hats',
    'P',
    'PT',
    'P3M',
    'PT3M4',
    'PTS',
    '3.04',
    'about 3:04',
  ])('does not read %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it('reads any duration in each way of writing it', () => {
    const two = (value: number) => String(value).padStart(2, '0');
    fc.assert(
      fc.property(fc.nat(99), fc.nat(59), fc.nat(59), (hours, minutes, seconds) => {
        const all = hours * 3600 + minutes * 60 + seconds;
        const inMinutes = hours * 60 + minutes;
        const written = [
          `${hours}:${two(minutes)}:${two(seconds)}`,
          `${inMinutes}:${two(seconds)}`,
          `${inMinutes}'${two(seconds)}"`,
          `${inMinutes} min ${seconds} s`,
          `${hours}h${minutes}m${seconds}s`,
          `PT${hours}H${minutes}M${seconds}S`,
          `PT${inMinutes}M${seconds}S`,
          `PT${all}S`,
        ];
        expect(written.map(parseDuration)).toEqual(written.map(() => all));
      }),
    );
  });

  it('gives a finite number of seconds, or nothing, for any text', () => {
    const signs = fc.string({ unit: fc.constantFrom(...`0159:.,'"′″PTDHMShms `), maxLength: 12 });
    fc.assert(
      fc.property(signs, (text) => {
        const seconds = parseDuration(text);
        expect(seconds === undefined || (Number.isFinite(seconds) && seconds >= 0)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('takes no longer for a long text', () => {
    const startedAt = performance.now();
    for (const text of [
      '1'.repeat(1e6),
      "1'".repeat(5e5),
      `P${'1D'.repeat(5e5)}`,
      ' '.repeat(1e6),
    ]) {
      expect(parseDuration(text)).toBeUndefined();
    }
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });
});

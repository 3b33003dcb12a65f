import { expect, it } from 'vitest';
import { licenseNumber } from './issued-license.ts';

it('counts with at least six digits, and ends with eight characters of Base32', () => {
  expect(licenseNumber('live', 2026, 123)).toMatch(/^2026-000123-[0-9A-HJKMNP-TV-Z]{8}$/);
  expect(licenseNumber('test', 2026, 1_234_567)).toMatch(
    /^TEST-2026-1234567-[0-9A-HJKMNP-TV-Z]{8}$/,
  );
});

it('cannot be guessed from another one', () => {
  const ends = Array.from({ length: 2_000 }, () => licenseNumber('live', 2026, 1).slice(-8));
  expect(new Set(ends).size).toBe(2_000);
  // Each of the 32 characters occurs at each place: 2,000 draws miss one with a chance of 1e-24.
  for (let place = 0; place < 8; place++) {
    expect(new Set(ends.map((end) => end[place])).size).toBe(32);
  }
});

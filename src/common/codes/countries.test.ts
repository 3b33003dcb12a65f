import { expect, it } from 'vitest';
import { COUNTRIES } from './countries.ts';

it('has the assigned codes, each once and in order', () => {
  expect(COUNTRIES).toHaveLength(249);
  expect(COUNTRIES).toEqual([...new Set(COUNTRIES)].sort());
  expect(COUNTRIES.every((code) => /^[A-Z]{2}$/.test(code))).toBe(true);
  for (const code of ['XK', 'UK', 'EU', 'AN', 'SU', 'ZZ']) expect(COUNTRIES).not.toContain(code);
  for (const code of ['DE', 'GB', 'SS', 'CW', 'AX']) expect(COUNTRIES).toContain(code);
});

it('has a name for each code', () => {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  expect(COUNTRIES.filter((code) => names.of(code) === undefined)).toEqual([]);
});

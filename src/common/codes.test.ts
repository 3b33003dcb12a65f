import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  COUNTRIES,
  coversTerritory,
  minorUnitOf,
  type RegionGroup,
  regionsCovering,
} from './codes.ts';

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

it.each([
  ['EUR', 2],
  ['JPY', 0],
  ['KRW', 0],
  ['HUF', 2],
  ['MGA', 2],
  ['IQD', 3],
  ['KWD', 3],
  ['CLF', 4],
])('%s has %s decimals', (code, minorUnit) => {
  expect(minorUnitOf(code)).toBe(minorUnit);
});

it.each(['eur', 'XAU', 'XTS', 'XXX', 'DEM', '', 'EURO'])('"%s" is no currency', (code) => {
  expect(minorUnitOf(code)).toBeUndefined();
});

const DACH: RegionGroup = { code: 'DACH', countries: new Set(['DE', 'AT', 'CH']) };
const ALL: RegionGroup = { code: 'ALL', countries: null };

describe('regions', () => {
  it.each<[string, string, RegionGroup[], boolean]>([
    ['WORLD', 'DE', [], true],
    ['WORLD', 'WORLD', [], true],
    ['DE', 'DE', [], true],
    ['DE', 'AT', [], false],
    ['DE', 'WORLD', [], false],
    ['DACH', 'AT', [], false],
    ['DACH', 'AT', [DACH], true],
    ['DACH', 'FR', [DACH], false],
    ['DACH', 'WORLD', [DACH], false],
    ['ALL', 'FR', [DACH, ALL], true],
    ['ALL', 'WORLD', [DACH, ALL], true],
    ['EU', 'DE', [DACH, ALL], false],
  ])('%s covers %s with the groups %j: %s', (region, territory, groups, expected) => {
    expect(coversTerritory(region, territory, groups)).toBe(expected);
  });

  it('that cover several territories cover each of them', () => {
    expect(regionsCovering(['DE'], [])).toEqual(['DE', 'WORLD']);
    expect(regionsCovering(['WORLD'], [DACH])).toEqual(['WORLD']);
    expect(regionsCovering(['DE', 'AT'], [DACH, ALL])).toEqual(['ALL', 'DACH', 'WORLD']);
    expect(regionsCovering(['DE', 'FR'], [DACH])).toEqual(['WORLD']);
  });

  it('are those that a check of each region finds', () => {
    const code = fc.constantFrom('DE', 'AT', 'FR', 'WORLD');
    const name = fc.constantFrom('DE', 'AT', 'WORLD', 'DACH', 'EU', 'ALL');
    const groups = fc.array(
      fc.record({
        code: name,
        countries: fc.option(
          fc.uniqueArray(code).map((codes) => new Set(codes)),
          { nil: null },
        ),
      }),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(fc.uniqueArray(code, { minLength: 1 }), groups, name, (asked, given, region) => {
        expect(regionsCovering(asked, given).includes(region)).toBe(
          asked.every((territory) => coversTerritory(region, territory, given)),
        );
      }),
    );
  });
});

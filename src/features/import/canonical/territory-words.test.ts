import { describe, expect, it } from 'vitest';
import { COUNTRIES } from '../../../common/codes.ts';
import { readExcludedTerritories, readTerritories } from './territory-words.ts';

const WORLD = { included: null, excluded: [] };
const only = (...included: string[]) => ({ included, excluded: [] });
const without = (...excluded: string[]) => ({ included: null, excluded });

describe('territories in words', () => {
  it.each(['World', 'WORLDWIDE', 'world-wide', 'WW', 'the World', 'All territories', 'World only'])(
    'takes %s for the world',
    (text) => {
      expect(readTerritories([text])).toEqual(WORLD);
    },
  );

  it.each([
    ['DE', only('DE')],
    [' de, at ', only('DE', 'AT')],
    ['DE; AT, CH|LI', only('DE', 'AT', 'CH', 'LI')],
    ['DE AT CH', only('DE', 'AT', 'CH')],
    ['DE,,AT,DE', only('DE', 'AT')],
    ['US only', only('US')],
    ['Only Germany', only('DE')],
    ['USA/Canada', only('US', 'CA')],
    ['the United Kingdom and Ireland', only('GB', 'IE')],
    ['UK & U.S.A.', only('GB', 'US')],
    ['Bosnia and Herzegovina', only('BA')],
    ['COTE D’IVOIRE', only('CI')],
    ['Saint Lucia', only('LC')],
    ['Turkey; Türkiye', only('TR')],
    ['Hong Kong', only('HK')],
    ['South Korea', only('KR')],
  ])('reads %s', (text, expected) => {
    expect(readTerritories([text])).toEqual(expected);
  });

  it.each([
    'World excluding US',
    'Worldwide excl. US',
    'WW excl US',
    'World (excluding US)',
    'World - except: USA',
    'World, except for the US',
    'world ex-US',
    'All countries without the United States',
  ])('excludes a country: %s', (text) => {
    expect(readTerritories([text])).toEqual(without('US'));
  });

  it('excludes all that follows', () => {
    expect(readTerritories(['World excluding US, CA and Mexico'])).toEqual(
      without('US', 'CA', 'MX'),
    );
    expect(readTerritories(['World (excl. US', 'CA)'])).toEqual(without('US', 'CA'));
    expect(readTerritories(['World', 'excluding', 'US'])).toEqual(without('US'));
  });

  it.each([
    ['World, US only', 'names the world and single countries'],
    ['World and US', 'names the world and single countries'],
    ['Worldwide; DE', 'names the world and single countries'],
    ['ROW', 'must not name the rest of the world'],
    ['Rest of the World', 'must not name the rest of the world'],
    ['World (US only)', 'must name countries by their codes'],
    ['World US', 'must name countries by their codes'],
    ['Not US', 'must name countries by their codes'],
    ['-US', 'must name countries by their codes'],
    ['Germany*', 'must name countries by their codes'],
    ['(Germany)', 'must name countries by their codes'],
    ['NO US', 'must name countries by their codes'],
    ['IN US', 'must name countries by their codes'],
    ['us ca', 'must name countries by their codes'],
    ['Antigua & Barbuda + Cuba', 'must name countries by their codes'],
    ['Congo', 'must name countries by their codes'],
    ['Korea, Republic of', 'it has "Korea"'],
    ['EU', 'must name countries by their codes'],
    ['DE, Atlantis', 'it has "Atlantis"'],
    ['excluding US', 'can exclude territories only from the world'],
    ['DE excluding US', 'can exclude territories only from the world'],
    ['World, DE excluding US', 'can exclude territories only from the world'],
    ['World excluding', 'must name the countries that it excludes'],
    ['World excluding World', 'must name the countries that it excludes'],
    ['World excluding Atlantis', 'it has "Atlantis"'],
    ['World excluding US except CA', 'says more than once what it excludes'],
    ['World (excluding US), CA', 'has text after the excluded territories'],
    ['DE,'.repeat(301), 'must list 300 at most; it lists 301'],
    [`DE${' ,'.repeat(20_000)}`, 'must have 20000 characters at most'],
  ])('does not understand %s', (text, problem) => {
    expect(readTerritories([text])).toMatchObject({ problem: expect.stringContaining(problem) });
  });

  it('knows an English name of every country', () => {
    const names = new Intl.DisplayNames('en', { type: 'region' });
    for (const code of COUNTRIES) {
      expect(readTerritories([names.of(code)!]), code).toEqual(only(code));
    }
  });

  it('reads excluded territories', () => {
    expect(readExcludedTerritories(['US; Canada'])).toEqual(['US', 'CA']);
    expect(readExcludedTerritories(['None'])).toEqual([]);
    for (const text of ['World', 'World excluding US', 'ROW', 'none, US']) {
      expect(readExcludedTerritories([text]), text).toHaveProperty('problem');
    }
  });
});

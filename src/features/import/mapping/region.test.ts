import { describe, expect, it } from 'vitest';
import { compileMapping } from './compile.ts';
import { parseMapping } from './parse-mapping.ts';

const regionOf = (region: unknown, record: object) =>
  compileMapping(
    parseMapping(JSON.stringify({ name: 'x', fields: { region } }), 'm.json'),
  ).toRecord(record).region;

describe('a rule of the region', () => {
  it.each([
    ['US', 'US'],
    ['WW', 'WW'],
    ['UK', 'UK'],
    ['LATAM', 'LATAM'],
    ['Worldwide', 'WORLD'],
    ['all territories', 'WORLD'],
    ['United States', 'US'],
    ['Germany', 'DE'],
    // The check of the record rejects these.
    ['World, US only', 'World, US only'],
    ['World excluding US', 'World excluding US'],
    ['DE, AT', 'DE, AT'],
  ])('reads %s as %s', (given, expected) => {
    expect(regionOf('where', { where: given })).toBe(expected);
  });

  it('leaves a record without a region', () => {
    expect(regionOf({ from: 'where', only: ['US'] }, { where: ' ' })).toBeUndefined();
  });

  it('rejects a record whose region it removes', () => {
    expect(() => regionOf({ from: 'where', only: ['US'] }, { where: 'DE' })).toThrow(
      'gives no region, so that the track could be used everywhere; `WORLD` stands for that',
    );
  });

  it('must not take the first of several', () => {
    const rule = { from: 'where', split: ',', first: true };
    expect(() => regionOf(rule, {})).toThrow('fields.region cannot take the `first` of several');
  });
});

import { describe, expect, it } from 'vitest';
import { compileMapping } from './compile.ts';
import { parseMapping } from './parse-mapping.ts';

const entriesOf = (availability: object[], record: object) =>
  compileMapping(
    parseMapping(JSON.stringify({ name: 'x', fields: {}, availability }), 'm.json'),
  ).toRecord(record).availability;

describe('the section availability', () => {
  const columns = {
    territories: { from: 'where', split: ',' },
    excludedTerritories: { from: 'not', split: ',' },
    from: { from: 'start', form: 'DD/MM/YYYY' },
    until: 'end',
  };

  it('makes an entry of the members of a record', () => {
    const record = { where: 'DE, AT', not: 'US', start: '01/02/2026', end: '2027-01-01' };
    expect(entriesOf([columns], record)).toEqual([
      {
        territories: ['DE', 'AT'],
        excludedTerritories: ['US'],
        from: '2026-02-01T00:00:00.000Z',
        until: '2027-01-01',
      },
    ]);
  });

  it('leaves what is stored if a record has none of the members', () => {
    expect(entriesOf([columns], { where: ' ', end: '' })).toBeUndefined();
    expect(entriesOf([{ each: 'deals', from: 'a' }], { deals: [] })).toBeUndefined();
    expect(entriesOf([{ each: 'deals', from: 'a' }], {})).toBeUndefined();
  });

  it('makes an entry of each entry of a list, also of one without limits', () => {
    const deals = [{ in: ['DE'], a: '2026-01-01' }, { b: 1 }, 'free'];
    expect(entriesOf([{ each: 'deals', territories: 'in', from: 'a' }], { deals })).toEqual([
      { territories: ['DE'], from: '2026-01-01' },
      {},
      'free',
    ]);
  });

  it('makes entries of several rules, and of a list in a text', () => {
    const rules = [
      { territories: { constant: 'DE' }, from: 'de' },
      { each: { from: 'more', decode: 'json' }, territories: 'in' },
    ];
    expect(entriesOf(rules, { de: '2026', more: '[{"in":"US"},{"in":"WORLD"}]' })).toEqual([
      { territories: ['DE'], from: '2026' },
      { territories: ['US'] },
      {},
    ]);
  });

  it('takes the word WORLD, in any case, for all territories', () => {
    const rule = { territories: { from: 'where', values: { WW: 'world' } }, until: 'end' };
    expect(entriesOf([rule], { where: 'ww', end: '2027' })).toEqual([{ until: '2027' }]);
    expect(entriesOf([{ territories: 'where' }], { where: 'World' })).toEqual([{}]);
  });

  it('rejects the world beside other territories, however the list is given', () => {
    const cell = { where: 'World, US only' };
    for (const territories of ['where', { from: 'where', split: ',' }]) {
      expect(() => entriesOf([{ territories }], cell)).toThrow(
        'names the world and single countries; write `World excluding …`, or only the countries; it is "World,',
      );
    }
    const list = { where: ['DE', 'World'] };
    expect(() => entriesOf([{ territories: 'where' }], list)).toThrow('names the world and');
  });

  it('excludes what follows the word for it, and what another member excludes', () => {
    const rules = [{ territories: 'where', excludedTerritories: 'not' }];
    const record = { where: ['World excluding US', 'Canada'], not: 'Mexico; DE' };
    expect(entriesOf(rules, record)).toEqual([{ excludedTerritories: ['US', 'CA', 'MX', 'DE'] }]);
    expect(entriesOf(rules, { where: 'DE', not: 'none' })).toEqual([{ territories: ['DE'] }]);
    expect(() => entriesOf(rules, { where: 'DE', not: 'World' })).toThrow(
      'must name the countries that it excludes',
    );
  });

  it('leaves what is no text to the check of the record', () => {
    expect(entriesOf([{ territories: 'where' }], { where: [{ code: 'DE' }] })).toEqual([
      { territories: [{ code: 'DE' }] },
    ]);
    expect(
      entriesOf([{ territories: 'where', excludedTerritories: 'not' }], { where: 'WW', not: [1] }),
    ).toEqual([{ excludedTerritories: [1] }]);
  });

  it('rejects a record whose territories are all removed', () => {
    const rule = { territories: { from: 'where', only: ['DE'] } };
    expect(entriesOf([rule], { where: ['DE', 'XX'] })).toEqual([{ territories: ['DE'] }]);
    expect(() => entriesOf([rule], { where: ['XX'] })).toThrow(
      'gives no territory, so that the track would be available everywhere',
    );
    const excluding = { territories: 'where', excludedTerritories: { from: 'not', only: ['DE'] } };
    expect(() => entriesOf([excluding], { where: 'WW', not: 'US' })).toThrow(
      'excludes no territory, so that the track would be available everywhere; `none` stands',
    );
    expect(() => entriesOf([{ each: 'deals', ...rule }], { deals: [{ where: 'XX' }] })).toThrow(
      'gives no territory',
    );
  });

  it.each([
    ['2026-12-31', '2027-01-01T00:00:00.000Z'],
    ['2024-02-28', '2024-02-29T00:00:00.000Z'],
    ['31/12/2026', '2027-01-01T00:00:00.000Z'],
    ['2026-12-31T23:59:59Z', '2027-01-01T00:00:00.000Z'],
    ['1969-12-31', '1970-01-01T00:00:00.000Z'],
  ])('includes the last day %s', (end, until) => {
    const through = { from: 'end', form: 'DD/MM/YYYY' };
    expect(entriesOf([{ through }], { end })).toEqual([{ until }]);
  });

  it('has no end without a last day, and on the last one of the calendar', () => {
    const rules = [{ territories: 'where', through: 'end' }];
    expect(entriesOf(rules, { where: 'DE', end: '' })).toEqual([{ territories: ['DE'] }]);
    expect(entriesOf(rules, { where: 'DE', end: '9999-12-31' })).toEqual([{ territories: ['DE'] }]);
  });

  it.each(['2026-12-31T12:00:00Z', '2026-12-31T00:00:00+02:00', '31.12.2026', 'never', 20261231])(
    'rejects %s as the last day',
    (end) => {
      expect(() => entriesOf([{ through: 'end' }], { end })).toThrow(
        'must be the last day, such as 2026-01-31',
      );
    },
  );

  it('rejects several last days, and a rule with both ends', () => {
    expect(() => entriesOf([{ through: 'end' }], { end: ['2026-01-01', '2027-01-01'] })).toThrow(
      'must be the last day',
    );
    expect(() => entriesOf([{ from: 'a', until: 'b', through: 'c' }], {})).toThrow(
      'availability[0] takes only one of `until` and `through`',
    );
  });
});

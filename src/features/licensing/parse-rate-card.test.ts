import { describe, expect, it } from 'vitest';
import { CARD, cardText, cardWith, PLAIN } from '../../../test/harness/rate-cards.ts';
import { coversTerritory } from '../../common/codes.ts';
import { OperatorError } from '../../common/errors.ts';
import { shownRateCard } from './rate-card.ts';
import { parseRateCard } from './rate-card-file.ts';

/** Members of a card, and the problem that the message names. */
const REFUSED: readonly [string, Record<string, unknown>, string][] = [
  ['a factor as a number', { media: { online: 1.5 } }, 'media.online must be a decimal in quotes'],
  ['a fifth decimal', { terms: { P1Y: '1.00001' } }, 'terms.P1Y must be a decimal'],
  ['a factor with an exponent', { exclusive: '1e3' }, 'exclusive must be a decimal'],
  ['a negative factor', { mediaCap: '-1' }, 'mediaCap must be a decimal'],
  ['a base with decimals', { base: { music: 99.5 } }, 'base.music must be a whole number'],
  ['a negative base', { base: { music: -1 } }, 'base.music must be a whole number'],
  ['a base as a text', { base: { music: '100' } }, 'base.music must be a whole number'],
  ['no base', { base: {} }, 'base must have music or sfx'],
  ['an unknown type', { base: { musik: 1 } }, 'base.musik is unknown (did you mean music?)'],
  ['a minimum with decimals', { minimumMinor: 0.5 }, 'minimumMinor must be a whole number'],
  ['an unknown member', { mediacap: '4' }, 'mediacap is unknown (did you mean mediaCap?)'],
  ['a missing member', { terms: undefined }, 'terms is missing'],
  ['parts as a text', { parts: 'yes' }, 'parts must be true or false'],
  ['an unknown currency', { currency: 'DEM' }, 'currency must be a currency code of ISO 4217'],
  ['a currency in lower case', { currency: 'eur' }, 'currency must be a currency code'],
  ['no days', { quoteDays: 0 }, 'quoteDays must be a whole number from 1 to 365'],
  ['too many days', { quoteDays: 366 }, 'quoteDays must be a whole number from 1 to 365'],
  ['a term of days', { terms: { P7D: '1' } }, 'terms.P7D must be P<n>M, P<n>Y or PERPETUAL'],
  ['no terms', { terms: {} }, 'terms must have 1 to 500 members'],
  ['no media', { media: {} }, 'media must have 1 to 500 members'],
  ['a list of media', { media: ['online'] }, 'media must be a JSON object'],
  ['a medium with spaces', { media: { 'on line': '1' } }, 'media.on line must have only a to z'],
  ['a name with spaces', { name: 'My card' }, 'name must have only a to z'],
  ['no URL of terms', { termsUrl: 'house.example' }, 'termsUrl must be a URL'],
  ['a script as URL of terms', { termsUrl: 'javascript:alert(1)' }, 'termsUrl must be a URL'],
  ['empty terms', { termsVersion: ' ' }, 'termsVersion must be a text'],
  ['null', { surcharges: null }, 'surcharges must be a list of 1 to 500'],
  [
    'an empty group, which would be every country',
    { territories: [{ code: 'DACH', countries: [], factor: '1' }] },
    'territories[0].countries must be a list of 1 to 500',
  ],
  [
    'an unknown country',
    { territories: [{ code: 'X', countries: ['UK'], factor: '1' }] },
    'territories[0].countries[0] must be a country code',
  ],
  [
    'a repeated country',
    { territories: [{ code: 'X', countries: ['DE', 'DE'], factor: '1' }] },
    'territories[0].countries[1] repeats DE',
  ],
  [
    'a repeated group',
    {
      territories: [
        { code: 'X', factor: '1' },
        { code: 'X', factor: '2' },
      ],
    },
    'territories[1].code repeats X',
  ],
  [
    'a world of some countries',
    { territories: [{ code: 'WORLD', countries: ['DE'], factor: '1' }] },
    'territories[0].countries must be absent',
  ],
  [
    'the code of a country without its countries',
    { territories: [{ code: 'DE', factor: '1' }] },
    'territories[0].countries must be ["DE"]: the code of a country contains only it',
  ],
  [
    'the code of a country with others',
    { territories: [{ code: 'DE', countries: ['DE', 'AT'], factor: '1' }] },
    'territories[0].countries must be ["DE"]',
  ],
  [
    'the code of a country with another one',
    { territories: [{ code: 'DE', countries: ['AT'], factor: '1' }] },
    'territories[0].countries must be ["DE"]',
  ],
  [
    'steps of audience that descend',
    {
      audience: [
        { upTo: 10, factor: '1' },
        { upTo: 10, factor: '1' },
        { upTo: null, factor: '1' },
      ],
    },
    'audience[1].upTo must be greater',
  ],
  [
    'a last step with a bound',
    { audience: [{ upTo: 10, factor: '1' }] },
    'audience[0].upTo must be null in the last step',
  ],
  [
    'an open step before the last',
    {
      audience: [
        { upTo: null, factor: '1' },
        { upTo: null, factor: '1' },
      ],
    },
    'audience[0].upTo must be null in the last step, and only there',
  ],
  [
    'steps of volume that descend',
    {
      volume: [
        { from: 10, factor: '1' },
        { from: 5, factor: '1' },
      ],
    },
    'volume[1].from must be greater',
  ],
  [
    'a repeated surcharge',
    {
      surcharges: [
        { filterSlug: 'a', factor: '1' },
        { filterSlug: 'a', factor: '2' },
      ],
    },
    'surcharges[1].filterSlug repeats a',
  ],
];

describe('a rate card', () => {
  it('is read with exact factors, in the order of the file', () => {
    const card = parseRateCard(cardText());
    expect(card.media).toEqual(
      new Map([
        ['online', 10_000n],
        ['social', 5_000n],
        ['broadcast', 30_000n],
      ]),
    );
    expect(card).toMatchObject({ minorUnit: 2, exclusive: 200_000n, mediaCap: 40_000n });
    expect(card.territories.map(({ code }) => code)).toEqual(['WORLD', 'DACH', 'DE']);
  });

  it('may have empty lists, which count as absent', () => {
    const empty = { audience: [], surcharges: [], volume: [] };
    const absent = { audience: undefined, surcharges: undefined, volume: undefined };
    expect(parseRateCard(cardText(empty))).toEqual(parseRateCard(cardText(absent)));
  });

  it.each(REFUSED)('is refused with %s, in one line', (_, members, problem) => {
    let thrown: unknown;
    try {
      parseRateCard(cardText(members));
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(OperatorError);
    const { message } = thrown as OperatorError;
    expect(message).toContain(`the rate card is refused: ${problem}`);
    expect(message).not.toContain('\n');
  });

  it.each(['', '{', '[]', 'null', '"a"', '{\n"name":\n}'])('is refused if it is %j', (text) => {
    expect(() => parseRateCard(text)).toThrow(/^the rate card is (not JSON|refused): [^\n]+$/);
  });

  it.each([
    ['"name"', '"currency":"USD","name"', 'currency'],
    ['"online":', '"social":"9","online":', 'media.social'],
    ['"factor":"1.2"', '"code":"X","factor":"1.2"', 'territories[1].code'],
  ])('is refused with a repeated member: %s as %s', (member, both, field) => {
    const text = cardText().replace(member, both);
    expect(() => parseRateCard(text)).toThrow(
      new OperatorError(`the rate card is refused: ${field} must be given once`),
    );
  });

  it('is refused if a quote of 100 of its dearest items could exceed 2^53 - 1', () => {
    const base = Math.floor(Number.MAX_SAFE_INTEGER / 100);
    const dearest = (members: Record<string, unknown>) => cardWith({ ...PLAIN, ...members });
    expect(dearest({ base: { music: base } }).base).toEqual({ music: base });
    const tooDear = 'could exceed 2^53 - 1';
    expect(() => dearest({ base: { music: base + 1 } })).toThrow(tooDear);
    expect(() => dearest({ minimumMinor: base + 1 })).toThrow(tooDear);
    expect(() => dearest({ base: { music: base }, exclusive: '1.0001' })).toThrow(tooDear);
    const surcharges = [{ filterSlug: 'a', factor: '1.0001' }];
    expect(() => dearest({ base: { music: base }, surcharges })).toThrow(tooDear);
    // A factor below 1 that need not apply makes nothing cheaper.
    const volume = [{ from: 2, factor: '0.1' }];
    expect(() => dearest({ base: { music: base + 1 }, volume })).toThrow(tooDear);
  });

  it('includes stems and versions in licenses only if it says so', () => {
    expect(cardWith().parts).toBe(false);
    expect(cardWith({ parts: true }).parts).toBe(true);
  });

  it('shows partners what is for sale, without factors', () => {
    const { name, currency, termsVersion, termsUrl } = CARD;
    expect(shownRateCard({ card: cardWith(), version: 3 })).toEqual({
      ...{ name, version: 3, currency, minorUnit: 2 },
      media: ['online', 'social', 'broadcast'],
      territories: [
        { code: 'WORLD', countries: null },
        { code: 'DACH', countries: ['DE', 'AT', 'CH'] },
        { code: 'DE', countries: ['DE'] },
      ],
      terms: ['P1M', 'P1Y', 'PERPETUAL'],
      audience: [10_000, null],
      exclusive: true,
      ...{ termsVersion, termsUrl },
    });
    const without = cardWith({ audience: undefined, exclusive: undefined });
    expect(shownRateCard({ card: without, version: 1 })).toMatchObject({
      audience: [],
      exclusive: false,
    });
  });
});

it.each([
  ['WORLD', 'US', true],
  ['WORLD', 'WORLD', true],
  ['DE', 'DE', true],
  ['DE', 'AT', false],
  ['DE', 'WORLD', false],
  ['DACH', 'AT', true],
  ['DACH', 'FR', false],
  ['DACH', 'WORLD', false],
  ['ALL', 'FR', true],
  ['ALL', 'WORLD', true],
  ['NOWHERE', 'DE', false],
])('a track of the region %s is licensable in %s: %s', (region, territory, isCovered) => {
  const territories = [
    { code: 'ALL', factor: '1' },
    { code: 'DACH', countries: ['DE', 'AT', 'CH'], factor: '1' },
  ];
  expect(coversTerritory(region, territory, cardWith({ territories }).territories)).toBe(isCovered);
});

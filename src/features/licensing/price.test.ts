import { describe, expect, it } from 'vitest';
import { CARD, cardWith, PLAIN } from '../../../test/harness/rate-cards.ts';
import { type PricedTrack, priceOf, type Use } from './price.ts';

const ALL = ['online', 'social', 'broadcast'];
const USE: Use = {
  media: ['online'],
  territories: ['DE'],
  term: 'P1Y',
  audience: 50_000,
  exclusive: false,
};

function track(type: 'music' | 'sfx', ...filters: string[]): PricedTrack {
  return { type, filterSlugs: new Set(filters) };
}
const MUSIC = track('music');

const STANDARD = cardWith();

/** Each: what is requested, the type, the number of tracks, and the amount by hand. */
const EXAMPLES: readonly [string, Partial<Use>, PricedTrack, number, number][] = [
  ['the cap of media', { media: ALL }, MUSIC, 1, 40_000],
  [
    'the minimum',
    { media: ['social'], term: 'P1M', audience: 1 },
    track('sfx'),
    2,
    1_000, // 2000 × 0.5 × 0.4 × 0.6 = 240
  ],
  ['one medium', {}, MUSIC, 1, 10_000],
  ['two media', { media: ['online', 'social'] }, MUSIC, 1, 15_000],
  ['the order of media does not matter', { media: ['social', 'online'] }, MUSIC, 1, 15_000],
  ['media up to the cap', { media: ['online', 'broadcast'] }, MUSIC, 1, 40_000],
  ['media below the cap', { media: ['social', 'broadcast'] }, MUSIC, 1, 35_000],
  ['a group of countries', { territories: ['DE', 'AT'] }, MUSIC, 1, 12_000],
  ['one country that only a group has', { territories: ['CH'] }, MUSIC, 1, 12_000],
  ['a country that only the world has', { territories: ['FR'] }, MUSIC, 1, 25_000],
  ['countries that only the world has together', { territories: ['DE', 'FR'] }, MUSIC, 1, 25_000],
  ['the world', { territories: ['WORLD'] }, MUSIC, 1, 25_000],
  ['a month', { term: 'P1M' }, MUSIC, 1, 4_000],
  ['for ever', { term: 'PERPETUAL' }, MUSIC, 1, 40_000],
  ['the last of a step', { audience: 10_000 }, MUSIC, 1, 6_000],
  ['the first of the next step', { audience: 10_001 }, MUSIC, 1, 10_000],
  ['no audience', { audience: 0 }, MUSIC, 1, 6_000],
  ['the greatest audience', { audience: Number.MAX_SAFE_INTEGER }, MUSIC, 1, 10_000],
  ['exclusive', { exclusive: true }, MUSIC, 1, 200_000],
  ['a surcharge', {}, track('music', 'premium'), 1, 15_000],
  ['other filters', {}, track('music', 'calm', 'night'), 1, 10_000],
  ['below the volume', {}, MUSIC, 9, 10_000],
  ['from the volume on', {}, MUSIC, 10, 9_000],
  ['the most tracks', {}, MUSIC, 100, 9_000],
  ['a sound effect', {}, track('sfx'), 1, 2_000],
  ['a sound effect above the minimum', { media: ['social'] }, track('sfx'), 1, 1_000],
  [
    'all factors together', // 10000 × 4 × 2.5 × 4 × 0.6 × 20 × 1.5 × 0.9
    { media: ALL, territories: ['WORLD'], term: 'PERPETUAL', audience: 1, exclusive: true },
    track('music', 'premium'),
    10,
    6_480_000,
  ],
];

/** Each: the members of the card, what is requested, the number of tracks, and the amount. */
const OTHER_CARDS: readonly [string, Record<string, unknown>, Partial<Use>, number, number][] = [
  ['1234.5', { base: { music: 2_469 }, terms: { P1Y: '0.5' } }, {}, 1, 1_235],
  ['502.5', { base: { music: 1_005 }, terms: { P1Y: '0.5' } }, {}, 3, 503],
  [
    'one volume step, the highest',
    {
      base: { music: 1_000 },
      volume: [
        { from: 3, factor: '0.95' },
        { from: 10, factor: '0.8' },
      ],
    },
    {},
    10,
    800,
  ],
  [
    'the lower volume step',
    {
      base: { music: 1_000 },
      volume: [
        { from: 3, factor: '0.95' },
        { from: 10, factor: '0.8' },
      ],
    },
    {},
    9,
    950,
  ],
  ['just below the half', { base: { music: 9_999 }, terms: { P1Y: '0.5001' } }, {}, 1, 5_000],
  [
    'one rounding: 0.4 × 0.4 of 3',
    { base: { music: 3 }, terms: { P1Y: '0.4' }, media: { online: '0.4' } },
    {},
    1,
    0,
  ],
  [
    'one rounding: 1.5 × 0.9 of 1',
    { base: { music: 1 }, terms: { P1Y: '1.5' }, media: { online: '0.9' } },
    {},
    1,
    1,
  ],
  [
    'a factor that no double has: 0.1 × 3',
    { base: { music: 10 }, terms: { P1Y: '0.1' }, media: { online: '3' } },
    {},
    1,
    3,
  ],
  [
    '1.005 of 100, which doubles round down',
    { base: { music: 100 }, terms: { P1Y: '1.005' } },
    {},
    1,
    101,
  ],
  [
    'JPY without decimals',
    { currency: 'JPY', base: { music: 12_345 }, terms: { P1Y: '0.3333' } },
    {},
    1,
    4_115,
  ],
  [
    'HUF with two',
    { currency: 'HUF', base: { music: 1_000_001 }, terms: { P1Y: '0.5' } },
    {},
    1,
    500_001,
  ],
  [
    'KWD with three',
    { currency: 'KWD', base: { music: 12_345 }, terms: { P1Y: '2.0001' } },
    {},
    1,
    24_691,
  ],
  ['nothing, raised to the minimum', { minimumMinor: 7, terms: { P1Y: '0' } }, {}, 1, 7],
  ['nothing, without a minimum', { terms: { P1Y: '0' } }, {}, 1, 0],
  [
    'a very large amount',
    { base: { music: 9_007_199_254_739 }, terms: { P1Y: '9.9' } },
    {},
    1,
    89_171_272_621_916,
  ],
  [
    'the cheapest group, though it is not the first',
    {
      base: { music: 100 },
      territories: [
        { code: 'A', countries: ['DE', 'FR'], factor: '2' },
        { code: 'B', countries: ['DE'], factor: '3' },
        { code: 'C', factor: '1.5' },
      ],
    },
    {},
    1,
    150,
  ],
];

describe('the price of an item', () => {
  it.each(EXAMPLES)('%s', (_, use, of, count, amount) => {
    expect(priceOf(STANDARD, { ...USE, ...use }, of, count)?.amountMinor).toBe(amount);
  });

  it.each(OTHER_CARDS)('of other cards: %s', (_, members, use, count, amount) => {
    const card = cardWith({ ...PLAIN, ...members });
    expect(priceOf(card, { ...USE, ...use }, MUSIC, count)?.amountMinor).toBe(amount);
  });

  it('has a breakdown of the steps that apply, in their order', () => {
    const use = { ...USE, media: ALL, territories: ['DE', 'AT'], audience: 5, exclusive: true };
    expect(priceOf(STANDARD, use, track('music', 'premium'), 12)?.breakdown).toEqual([
      { step: 'base', value: '10000' },
      { step: 'media', codes: ALL, value: '4' },
      { step: 'territory', code: 'DACH', value: '1.2' },
      { step: 'term', code: 'P1Y', value: '1' },
      { step: 'audience', upTo: 10_000, value: '0.6' },
      { step: 'exclusive', value: '20' },
      { step: 'surcharge', filterSlug: 'premium', value: '1.5' },
      { step: 'volume', from: 10, value: '0.9' },
    ]);
  });

  it('has the minimum in the breakdown only where it raised the amount', () => {
    const last = (minimumMinor: number) =>
      priceOf(cardWith({ ...PLAIN, minimumMinor }), USE, MUSIC, 1)?.breakdown.at(-1);
    expect(last(10_001)).toEqual({ step: 'minimum', value: '10001' });
    expect(last(10_000)).toEqual({ step: 'term', code: 'P1Y', value: '1' });
  });

  it('takes the first of equally cheap groups', () => {
    const territories = [
      { code: 'B', factor: '2' },
      { code: 'A', countries: ['DE'], factor: '2.0' },
    ];
    const price = priceOf(cardWith({ territories }), USE, MUSIC, 1);
    expect(price?.breakdown[2]).toEqual({ step: 'territory', code: 'B', value: '2' });
  });

  it('does not exist for territories or types that the card does not have', () => {
    const territories = [{ code: 'DACH', countries: ['DE', 'AT'], factor: '1' }];
    const card = cardWith({ territories, base: { sfx: 1 } });
    expect(priceOf(card, USE, MUSIC, 1)).toBeUndefined();
    for (const outside of [['FR'], ['DE', 'FR'], ['WORLD']]) {
      expect(priceOf(card, { ...USE, territories: outside }, track('sfx'), 1)).toBeUndefined();
    }
    expect(CARD.currency).toBe('EUR');
  });
});
